import { accessVariants } from './access-variants.ts'
import { booksVariants } from './books-variants.ts'
import { chunkVariants } from './chunk-variants.ts'
import type { Variant } from './fault.ts'
import { httpVariants } from './http-variants.ts'
import { refusalVariants } from './refusal-variants.ts'
import { replyVariants } from './reply-variants.ts'
import { sseVariants } from './sse-variants.ts'
import { textVariants } from './text-variants.ts'
import { weatherVariants } from './weather-variants.ts'

export const variants = {
  ...sseVariants,
  ...chunkVariants,
  ...replyVariants,
  ...textVariants,
  ...refusalVariants,
  ...accessVariants,
  ...booksVariants,
  ...httpVariants,
  ...weatherVariants,
} as const satisfies Record<string, Variant>
