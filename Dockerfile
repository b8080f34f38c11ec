# Gateway, node and harness in one small image: docker run IMAGE gateway | node | conformance | load …
FROM node:24-slim AS build
WORKDIR /build
COPY . .
RUN npm ci --no-audit --no-fund
RUN npm pack --pack-destination /tmp

FROM node:24-slim
COPY --from=build /tmp/inference-assay-*.tgz /tmp/
RUN npm install --global --omit=dev --no-audit --no-fund /tmp/inference-assay-*.tgz && rm /tmp/inference-assay-*.tgz
USER node
WORKDIR /home/node
ENTRYPOINT ["assay"]
CMD ["gateway", "--listen", "0.0.0.0:8080"]
EXPOSE 8080
