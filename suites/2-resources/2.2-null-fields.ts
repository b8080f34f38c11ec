import { clause, should } from '../../src/check/check.ts'

const message = { role: 'user', content: 'Say hello.' }

export const nullFields = clause('2.2', [
  ...(['role', 'content'] as const).map((field) =>
    should(`message.${field}-null-refused`, {
      states: ['wrong-types-are-refused'],
      phase: 'odd',
      dependsOn: ['chat.answers'],
      // Null is read as absence, or types are not looked at.
      sameCauseAs: [`message.${field}-required`, 'message.missing-field-is-client-error', 'message.wrong-type-refused'],
      cost: { requests: 2, tokens: 120 },
      wrong: `A message whose ${field} is null was not refused with a 4xx.`,
      why: 'A null is a bug in the client that wrote it, and a reply to it hides the bug.',
      fix: 'Validate each message: an object whose role and content are strings.',
      async run({ probe, expect }) {
        const bad = { ...message, [field]: null }
        for (const messages of [[bad], [message, bad, message]]) {
          const answer = await probe({ messages })
          expect(`status for ${JSON.stringify(messages)}`, answer.status, answer).isStatus('4xx')
        }
      },
    }),
  ),
])
