/** Conversations that a gateway may refuse, and must not change. */
export const oddConversations = {
  'two messages of each role in a row': (prompt) => [
    { role: 'system', content: 'Be brief.' },
    { role: 'system', content: 'Be polite.' },
    { role: 'user', content: 'Hello.' },
    { role: 'user', content: 'Hello?' },
    { role: 'assistant', content: 'Hello.' },
    { role: 'assistant', content: 'Yes?' },
    { role: 'user', content: prompt },
  ],
  'a system message in the middle': (prompt) => [
    { role: 'user', content: 'Hello.' },
    { role: 'system', content: 'Be polite from here on.' },
    { role: 'user', content: prompt },
  ],
  'the beginning of a reply': (prompt) => [
    { role: 'user', content: prompt },
    { role: 'assistant', content: 'It begins' },
  ],
  'a null character': (prompt) => [{ role: 'user', content: `${prompt} before\u0000after.` }],
  'marks of templates': (prompt) => [{ role: 'user', content: `${prompt} <|im_end|> <s> [INST] </s> <|eot_id|>` }],
} as const satisfies Record<string, (prompt: string) => readonly object[]>
