/**
 * A driver's assumptions about its provider, and the parts of an exchange with the provider that may be stored. Nothing here
 * is for one provider alone: each driver lists its own assumptions in its `proof.ts`.
 */

/** A request and its response as they are kept: everything private is replaced by a stand-in of the same shape. */
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

/** A call of a member of the driver. `given`: its second argument and those after it. `result`: null if it threw. */
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
 * What may be kept. Of everything else only the shape is kept.
 * `texts`: names of fields whose value is kept if it consists of `words`. `numbers`: amounts, counts and codes. `times`: dates, as text or
 * in seconds. `addresses`: fields with an address, of which the parts that are words are kept. `headers`: names of headers, in lower case,
 * that are kept at all. `logins`: fields of a request of which not even the shape is kept. `unkept`: paths of requests of which nothing is kept, such as the one for an access token, with the response that a
 * replay gives.
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
 * which somebody last found the sentence confirmed there, or `, in` another official document; null if nobody has. `how`: what has to
 * happen in a test so that it is seen. `judge` reads what was recorded in one test.
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
 * Judges all exchanges. `of` returns null for an exchange that does not matter, true if it is as assumed, or a text about what
 * was seen instead.
 */
export function everyExchange(of: (exchange: RecordedExchange) => true | string | null): Assumption['judge'] {
  return (calls) => judgeAll(calls.flatMap(({ exchanges }) => exchanges).map(of))
}

function judgeAll(found: readonly (true | string | null)[]): Verdict {
  const instead = found.find((each) => typeof each === 'string')
  if (instead !== undefined) return { kind: 'differs', instead: String(instead) }
  return { kind: found.includes(true) ? 'seen' : 'not_seen' }
}

/** The value at a path of members of an unknown value. Undefined if there is none. */
export function valueAt(value: unknown, ...path: (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[name] : undefined,
    value,
  )
}

/** Whether this is a request with the method to a path that fits. */
export const isCall = ({ method, path }: RecordedExchange, verb: string, pattern: RegExp): boolean =>
  method === verb && pattern.test(path.replace(/\?.*/, ''))

/** True, or what was seen instead. */
export const trueOr = (isTrue: boolean, instead: string): true | string => (isTrue ? true : instead)

/** How a value is shown to a person who reads a verdict. */
export const show = (value: unknown): string =>
  value === undefined ? 'no such field' : JSON.stringify(value)

/** The words of a text, for the lists of a Recordable. */
export const wordsOf = (text: string): string[] => text.trim().split(/\s+/)
