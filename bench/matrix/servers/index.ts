import type { Server } from '../server.ts'
import { aiMock } from './ai-mock.ts'
import { aimock } from './aimock.ts'
import { crabllm } from './crabllm.ts'
import { guidellm } from './guidellm.ts'
import { litellm } from './litellm.ts'
import { litserve } from './litserve.ts'
import { llamaCppPython } from './llama-cpp-python.ts'
import { llmEmulator } from './llm-emulator.ts'
import { llms } from './llms.ts'
import { lmProxy } from './lm-proxy.ts'
import { mlflow } from './mlflow.ts'
import { mlxLm } from './mlx-lm.ts'
import { mockAiApi } from './mock-ai-api.ts'
import { mockLlm } from './mock-llm.ts'
import { mockllm } from './mockllm.ts'
import { nullplatform } from './nullplatform.ts'
import { oneApi } from './one-api/one-api.ts'
import { openaiMockApi } from './openai-mock-api.ts'
import { portkey } from './portkey.ts'
import { reference } from './reference.ts'
import { sglangRouter } from './sglang-router.ts'
import { vllm } from './vllm.ts'
import { xllamacpp } from './xllamacpp.ts'

/** Every server that is judged: gateways, then engines, then mocks. */
export const servers: readonly Server[] = [
  reference,
  crabllm,
  litellm,
  llms,
  lmProxy,
  mlflow,
  nullplatform,
  oneApi,
  portkey,
  sglangRouter,
  litserve,
  llamaCppPython,
  mlxLm,
  vllm,
  xllamacpp,
  aiMock,
  aimock,
  guidellm,
  llmEmulator,
  mockAiApi,
  mockLlm,
  mockllm,
  openaiMockApi,
]
