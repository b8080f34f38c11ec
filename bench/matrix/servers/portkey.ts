import { callersKey, npm, patient, run, type Server } from '../server.ts'

/** A gateway that passes requests on to the provider that their headers name. */
export const portkey: Server = {
  name: 'portkey',
  title: '@portkey-ai/gateway (with @hono/node-server 1.13.5)',
  kind: 'gateway',
  from: 'npm',
  versions: ['1.15.2', '1.9.8'],
  nodes: 2,
  options: ([node]) => [
    ...['--api-path', '/v1', '--model', 'small', '--header', 'x-portkey-provider: openai'],
    ...['--header', `x-portkey-custom-host: ${node}/v1`, ...patient],
  ],
  // "Authorization" is the provider's key, says its README.
  keys: async () => ({ ASSAY_API_KEY: callersKey, ASSAY_NODE_KEY: callersKey }),
  // With the newest node-server that it allows, it cannot stream at all.
  install: (folder, version) => npm(folder, { '@portkey-ai/gateway': version }, { '@hono/node-server': '1.13.5' }),
  start: (folder, port) =>
    run(folder, process.execPath, [
      'node_modules/@portkey-ai/gateway/build/start-server.js',
      `--port=${port}`,
      '--headless',
    ]),
}
