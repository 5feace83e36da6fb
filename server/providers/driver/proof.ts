/**
 * What a driver assumes about its provider, and which parts of an exchange with the provider may be stored. Each driver lists its own
 * assumptions in its `proof.ts`.
 */

/** A request and its response as they are stored. Private values are replaced by made-up values of the same shape. */
export type RecordedExchange = {
  method: string
  /** The path with its query. */
  path: string
  requestHeaders: Record<string, string>
  /** JSON as it is, a form as its pairs, and null for no body. */
  requestBody: unknown
  /** Null if there was no response. */
  status: number | null
  responseHeaders: Record<string, string>
  responseBody: unknown
}

/** One call of a method of the driver. `given`: its arguments after the first one. `result`: null if it threw. */
export type RecordedCall = {
  /** A time in ISO 8601. */
  at: string
  member: string
  given: unknown[]
  result: unknown
  threw: boolean
  exchanges: RecordedExchange[]
}

/**
 * Which fields are stored with their value. Of all other fields only the shape is stored.
 * `texts`: names of fields whose value is stored if all its words are in `words`.
 * `numbers`: names of fields with an amount, a count or a code.
 * `times`: names of fields with a date, as text or in seconds.
 * `addresses`: names of fields with a URL. Its parts that are in `words` are stored.
 * `headers`: names of headers, in lower case. Other headers are not stored at all.
 * `logins`: names of fields of a request that are not stored at all.
 * `unkept`: paths of requests that are not stored at all, such as the one for an access token, each with the response for a replay.
 */
export type Recordable = {
  words: readonly string[]
  texts: readonly string[]
  numbers: readonly string[]
  times: readonly string[]
  addresses: readonly string[]
  headers: readonly string[]
  logins?: readonly string[]
  unkept?: Record<string, object>
}

/** `not_seen`: nothing in these exchanges shows it. `differs`: `instead` is what was seen. */
export type Verdict = { kind: 'seen' } | { kind: 'not_seen' } | { kind: 'differs'; instead: string }

/**
 * Something that the driver relies on. `sentence`: in plain words. `page`: where the provider should document it. `readOn`: the day on
 * which somebody last found the sentence on that page. If another official document confirms it, its name follows (`2026-11-29, in the
 * manual`). Null if nobody has found it. `how`: what has to happen in a test so that it is seen. `judge` reads the calls of one test.
 */
export type Assumption = {
  id: string
  sentence: string
  page: string
  readOn: string | null
  how: string
  judge(calls: readonly RecordedCall[]): Verdict
}

export type DriverAssumptions = { recordable: Recordable; assumptions: readonly Assumption[] }

/**
 * Returns a `judge` that looks at every exchange. `judgeOne` returns null for an exchange that does not matter, true if it is as
 * assumed, or a text about what was seen instead.
 */
export function everyExchange(
  judgeOne: (exchange: RecordedExchange) => true | string | null,
): Assumption['judge'] {
  return (calls) => judgeAll(calls.flatMap(({ exchanges }) => exchanges).map(judgeOne))
}

function judgeAll(found: readonly (true | string | null)[]): Verdict {
  const instead = found.find((each) => typeof each === 'string')
  if (instead !== undefined) return { kind: 'differs', instead: String(instead) }
  return { kind: found.includes(true) ? 'seen' : 'not_seen' }
}

/** Returns the value at this path in nested objects and arrays. Undefined if there is none. */
export function valueAt(value: unknown, ...path: (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[name] : undefined,
    value,
  )
}

/** Returns whether the request has this method, and a path that matches. The query does not count. */
export const isCall = ({ method, path }: RecordedExchange, verb: string, pattern: RegExp): boolean =>
  method === verb && pattern.test(path.replace(/\?.*/, ''))

/** Returns true, or the text about what was seen instead. */
export const trueOr = (isTrue: boolean, instead: string): true | string => (isTrue ? true : instead)

/** Returns the value as a text for a person who reads a verdict. */
export const show = (value: unknown): string =>
  value === undefined ? 'no such field' : JSON.stringify(value)

/** The words of a text, for the lists of a Recordable. */
export const wordsOf = (text: string): string[] => text.trim().split(/\s+/)
