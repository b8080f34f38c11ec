/** How long the gateway waits for PostgreSQL and for Redis. A request that needs them longer gets a 503. */
export const deadlines = {
  /** For a connection, be it a new one or one that others use. */
  connectMs: 1000,
  /** For the answer to one statement or command. */
  answerMs: 1000,
  /** PostgreSQL itself ends a statement that runs longer, so that its outcome is known. */
  statementMs: 800,
} as const
