/** Calls of a GraphQL API that keep the session. */

// biome-ignore lint/suspicious/noExplicitAny: a test reads answers of every shape
export type Data = any
export type Session = {
  /** Throws with the messages of the errors. */
  ask(query: string, variables?: object): Promise<Data>
}

/** `tokenHeader`: of the answer that brings the session's token. */
export function openSession(url: string, tokenHeader: string): Session {
  let token = ''
  return {
    async ask(query, variables = {}) {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
        body: JSON.stringify({ query, variables }),
      })
      token = answer.headers.get(tokenHeader) ?? token
      const { data, errors } = (await answer.json()) as { data?: Data; errors?: { message: string }[] }
      if (errors) throw new Error(errors.map(({ message }) => message).join('; '))
      return data
    },
  }
}
