/** C2.2, one message of the conversation. */
export interface Message {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** C2.1, a chat completion request. */
export interface ChatRequest {
  readonly model: string
  readonly messages: readonly Message[]
  readonly temperature?: number
  readonly max_tokens?: number
  readonly stream?: boolean
  readonly top_p?: number
  readonly stop?: string | readonly string[]
}
