/** Repeats a call of a driver with the provider's own answers, each time without one of their fields. It sends nothing. */
import { expect } from 'vitest'
import type { LookUpAnswer, ProviderCall } from '../../providers/driver.ts'

type Http = ProviderCall['http']
type HttpRequest = Parameters<Http['request']>[0]
type Answer = Awaited<ReturnType<Http['request']>>
type Act<Settings, Result> = (call: ProviderCall<Settings>) => Promise<Result>
type Json = Record<string, unknown>

/** `absent`: the field is missing. `null`: its value is null. */
export type Lack = 'absent' | 'null'
export type Poorer<Result> = { field: string; lack: Lack; result: Result | Error }

/**
 * Returns the result with whole answers, and the result without each field. `field`: the endpoint, and the path in its answer. `isTried`:
 * whether the field with this number is taken away.
 */
export async function withoutEachField<Settings, Result>(
  call: ProviderCall<Settings>,
  act: Act<Settings, Result>,
  lacks: readonly Lack[] = ['absent', 'null'],
  isTried: (number: number) => boolean = () => true,
): Promise<{ whole: Result; poorer: Poorer<Result>[] }> {
  const recorded: { endpoint: string; answer: Answer }[] = []
  const request = async (endpoint: HttpRequest) => {
    const answer = await call.http.request(endpoint)
    recorded.push({ endpoint: nameOf(endpoint), answer })
    return answer
  }
  const whole = await act(through(call, request))
  const poorer: Poorer<Result>[] = []
  let number = 0
  for (const endpoint of new Set(recorded.map((each) => each.endpoint)))
    for (const path of pathsIn(
      recorded.filter((each) => each.endpoint === endpoint).map(({ answer }) => answer.text),
    )) {
      if (!isTried(number++)) continue
      for (const lack of lacks) {
        const result = await act(through(call, replay(recorded, { endpoint, path, lack }))).catch(
          (error: unknown) => error as Error,
        )
        poorer.push({ field: `${endpoint} ${path.join('.')}`, lack, result })
      }
    }
  return { whole, poorer }
}

/** Returns this body without each of its fields, and with null in its place. */
export function bodiesWithout(text: string): string[] {
  return pathsIn([text]).flatMap((path) =>
    (['absent', 'null'] as const).map((lack) => {
      const body = JSON.parse(text) as Json
      take(body, path, lack)
      return JSON.stringify(body)
    }),
  )
}

/** A driver throws for an answer that it cannot read. An error of the language itself is a mistake of the driver. */
export function expectNoCrash(error: Error): void {
  expect([error.name, error.message]).not.toEqual([
    expect.stringMatching(/^(TypeError|RangeError|ReferenceError|SyntaxError)$/),
    expect.anything(),
  ])
}

/** What an answer says about an order and its money; the kind of an answer without a snapshot. */
export function moneyIn(found: LookUpAnswer): unknown {
  if (found.kind !== 'found') return found.kind
  const { order, reference, amountMinor, currency } = found.snapshot
  const { authorizedMinor, capturedMinor, refundedMinor, refundPendingMinor = 0 } = found.snapshot
  const sums = { amountMinor, authorizedMinor, capturedMinor, refundedMinor, refundPendingMinor }
  return { order, reference, currency, ...sums }
}

function through<Settings>(call: ProviderCall<Settings>, request: Http['request']): ProviderCall<Settings> {
  return { ...call, http: { ...call.http, request } }
}

/** Ids are left out, so that the same question about another object has the same name. */
function nameOf({ method, url }: HttpRequest): string {
  const { pathname } = new URL(url)
  return `${method} ${pathname.replaceAll(/\/[^/]*\d{3}[^/]*/g, '/:id')}`
}

/** Answers like the provider did, in the same order. @throws Error for a request that was not made before */
function replay(
  recorded: readonly { endpoint: string; answer: Answer }[],
  { endpoint, path, lack }: { endpoint: string; path: string[]; lack: Lack },
): Http['request'] {
  const taken = new Map<string, number>()
  return async (each) => {
    const name = nameOf(each)
    const own = recorded.filter((one) => one.endpoint === name)
    const number = taken.get(name) ?? 0
    taken.set(name, number + 1)
    const found = own[Math.min(number, own.length - 1)]
    if (!found) throw new Error(`nobody answers ${name}`)
    if (name !== endpoint || found.answer.text === '') return found.answer
    const body = JSON.parse(found.answer.text) as Json
    take(body, path, lack)
    return { ...found.answer, text: JSON.stringify(body) }
  }
}

/** Returns the path of every member of the objects in these texts. `[]` stands for each element of a list. */
function pathsIn(texts: readonly string[]): string[][] {
  const found = new Map<string, string[]>()
  const walk = (value: unknown, path: string[]) => {
    if (Array.isArray(value)) for (const each of value) walk(each, [...path, '[]'])
    else if (typeof value === 'object' && value !== null)
      for (const [name, inner] of Object.entries(value)) {
        const at = [...path, name]
        found.set(at.join('.'), at)
        walk(inner, at)
      }
  }
  for (const text of texts) if (text !== '') walk(JSON.parse(text), [])
  return [...found.values()]
}

function take(value: unknown, [name = '', ...rest]: string[], lack: Lack): void {
  if (name === '[]') {
    if (Array.isArray(value)) for (const each of value) take(each, rest, lack)
    return
  }
  if (typeof value !== 'object' || value === null || !(name in value)) return
  const object = value as Json
  if (rest.length > 0) take(object[name], rest, lack)
  else if (lack === 'null') object[name] = null
  else delete object[name]
}
