/**
 * The time of a request must not grow faster than its path, its query, one of its headers or its body, and the number of its
 * statements must not grow at all. Every endpoint and page is asked with one long part. Only if that takes several times as
 * long as a short request is the growth measured, in two doublings: four times the part may take about four times the time. All
 * times are compared within one run. In `npm test` each fifth endpoint is asked, and gets some of the parts and headers in turn.
 * `npm run test:long` gives every part to each endpoint and to each header.
 */
import { once } from 'node:events'
import { Agent, type IncomingMessage, request as startRequest } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PAGES } from '../pages/index.ts'
import { SANDBOX_PAGES } from '../sandbox/pages/index.ts'
import { API_PATHS } from '../sandbox/sandbox.ts'
import { countStatements } from '../testing/attacks/cost-meter.ts'
import { createSession } from '../testing/calls.ts'
import { type Kassa, openShop, SHOP_ORIGIN, startKassa } from '../testing/harness.ts'
import { seededRandom } from '../testing/random.ts'
import { CALLBACKS } from './callbacks.ts'
import { ENDPOINTS } from './endpoints/index.ts'

/** Half of what the server accepts as a head. */
const CHARS = 7_000
/** A linear reader stays below this for four times the text. A quadratic one takes up to 16 times as long. */
const LINEAR_BELOW = 5
/** A request that takes less than this many times a short one cannot hide a growth that hurts. */
const SUSPICIOUS = 4
const TRIES_MIN = 3
const TRIES = 40

const IN_PATH = '/ %2f . ../ - a- %20 %25 A ; %d5%b9'.split(' ')
const IN_QUERY = '/ & = a=b& a[ %20 % + q+ - %d5%b9'.split(' ')
const IN_HEADER = [
  '/',
  ' ',
  ',',
  ', ',
  ';',
  '=',
  'a',
  'a-',
  'a=b; ',
  '"',
  '.',
  '-',
  ';q=0,',
  '[',
  ':',
  '::ffff:',
  'https://',
]
/** The text before the part, the part, and the text after it. */
const IN_BODY: Record<string, (readonly [before: string, part: string, after: string])[]> = {
  'application/json': [
    ['', '[', ''],
    ['', '{"a":', ''],
    ['', ' ', '{}'],
    ['{"a":"', '\\u0041', '"}'],
    ['{"a":"', '4', '"}'],
    ['{"a":"', '4 ', '"}'],
    ['{"a":"', '&#52;', '"}'],
    ['{"a":[', '1,', '1]}'],
    ['{"metadata":{"a":"', 'a@', '"}}'],
    ['{"customer":{"email":"', 'a.', '"}}'],
    ['{"returnUrl":"https://shop.example/', '%2e/', '"}'],
    ['{"amount":"', '0', '"}'],
  ],
  'application/x-www-form-urlencoded': [
    ['', 'a=b&', ''],
    ['', '&', ''],
    ['', '%', ''],
    ['', 'a[', ''],
    ['email=', 'a.', '@example.com'],
    ['email=', '4 ', ''],
    ['amount=', '0', ''],
    ['snippet=', '<', ''],
    ['snippet=', '<a ', ''],
    ['policy=', ';', ''],
  ],
}
const ALPHABET = 'a0 -_./%&=+;:,"<>()[]{}\\@#?*~'
/** No request needs more than this. */
const STATEMENTS_MAX = 20
const HEADERS =
  `accept accept-encoding accept-language authorization cookie content-type host origin referer user-agent
  idempotency-key if-none-match if-modified-since range content-encoding x-forwarded-for x-forwarded-proto x-forwarded-host
  forwarded x-request-id sec-fetch-site x-bank-signature stripe-signature paypal-transmission-sig
  access-control-request-headers`.split(/\s+/)
/** Addresses without an endpoint of their own. */
const OTHERS =
  `/ /docs /docs/search /docs/x /openapi.json /widget/v1/kassa.js /widget/x/kassa.js /demo/ /brand/1f6feb.css
  /pictures/x.png /pages.css /livez /readyz /x/y`.split(/\s+/)

const TARGETS = [
  ...[...ENDPOINTS, ...PAGES, ...SANDBOX_PAGES, ...CALLBACKS].map(({ method, path }) => ({ method, path })),
  ...[...OTHERS, ...Object.values(API_PATHS)].map((path) => ({ method: 'get', path })),
]
type Target = (typeof TARGETS)[number]
type Sent = { path: string; headers?: Record<string, string>; body?: string }
type Cost = { ms: number; statements: number }
/** A request with a part of this many characters. */
type Attack = { name: string; of(chars: number): Sent }
type Values = Record<string, string>

/**
 * `partsOfHeader`: how many parts a header gets at one endpoint. `everyHeader`, `everyPart`: which of the headers, and which of the parts
 * of an address or a body, an endpoint gets: with 3 each third. `randomParts`: how many of these each endpoint gets. `everyTarget`: which
 * of the endpoints and pages are asked.
 */
export type Size = {
  everyTarget: number
  partsOfHeader: number
  everyHeader: number
  everyPart: number
  randomParts: number
}

/** Registers one test for each endpoint and page. */
export function testGrowth(size: Size): void {
  let kassa: Kassa
  let values: Values
  let ask: (target: Target, sent: Sent) => Promise<Cost>
  const statements = countStatements()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  beforeAll(async () => {
    kassa = await startKassa({ settings: { TRUST_PROXY: '1' } })
    const { token, publicKey, ...shop } = await openShop(kassa.ctx)
    const { body } = await createSession(kassa.url, { token, publicKey, ...shop })
    const account = kassa.ctx.routes.route_a.id
    values = { paymentId: body.id, publicKey, productId: 'tea', account }
    ask = async (target, sent) => {
      statements.take()
      const ms = await msOf(target, sent, { url: kassa.url, agent, token })
      return { ms, statements: statements.take().length }
    }
  })
  afterAll(() => {
    agent.destroy()
    statements.stop()
    return kassa.close()
  })

  test.each(
    TARGETS.map((target, index) => ({ ...target, index })).filter(
      ({ index }) => index % size.everyTarget === 0,
    ),
  )(
    '$method $path takes no longer than in proportion to its path, its query, its headers and its body',
    async ({ index, ...target }) => {
      const short = { path: filled(target.path, values) }
      const times = []
      for (let time = 0; time < 5; time++) times.push((await ask(target, short)).ms)
      const usual = times.toSorted((one, other) => one - other)[2] ?? 0
      const grown: string[] = []
      for (const attack of [
        ...[...onAddress(target, values), ...onBody(target, values)].filter(
          (_, at) => (at + index) % size.everyPart === 0,
        ),
        ...onHeaders(target, values, { ...size, index }),
        ...atRandom(target, values, { ...size, index }),
      ]) {
        const whole = await ask(target, attack.of(CHARS))
        // A cache that has just become empty costs a few.
        if (whole.statements > STATEMENTS_MAX) {
          const quarter = await ask(target, attack.of(CHARS / 4))
          if (whole.statements > 2 * quarter.statements)
            grown.push(`${attack.name}: ${whole.statements} statements`)
        }
        if (whole.ms < SUSPICIOUS * usual) continue
        const growth = await growthOf(async (chars) => (await ask(target, attack.of(chars))).ms)
        if (growth > LINEAR_BELOW) grown.push(`${attack.name}: ${growth.toFixed(1)}`)
      }
      expect(grown).toEqual([])
    },
  )
}

/** The whole part as often as it fits, because a part of a percent-encoded character is another kind of address. */
const repeated = (part: string) => (chars: number) => part.repeat(Math.floor(chars / part.length))

const filled = (path: string, values: Values) =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => values[name] ?? 'x')

function onAddress({ path }: Target, values: Values): Attack[] {
  const at = filled(path, values)
  const last = [...path.matchAll(/:\w+/g)].at(-1)?.[0]
  const inside = (text: string) => ({ path: filled(path.replace(last ?? '', text), values) })
  return [
    ...IN_PATH.map((part) => ({
      name: `path ${part}`,
      of: (chars: number) => ({ path: `${at}${repeated(part)(chars)}x` }),
    })),
    ...(last === undefined ? [] : IN_PATH.filter((part) => !part.includes('/'))).map((part) => ({
      name: `${last} ${part}`,
      of: (chars: number) => inside(repeated(part)(chars)),
    })),
    ...IN_QUERY.map((part) => ({
      name: `query ${part}`,
      of: (chars: number) => ({ path: `${at}?q=${repeated(part)(chars)}x` }),
    })),
  ]
}

/** The parts take turns, so that each header gets all of them over all endpoints. */
function onHeaders(
  { path }: Target,
  values: Values,
  { index, partsOfHeader, everyHeader }: Size & { index: number },
): Attack[] {
  return HEADERS.flatMap((header, at) =>
    Array.from({ length: (at + index) % everyHeader === 0 ? partsOfHeader : 0 }, (_, turn) => {
      const part = IN_HEADER[(at + index * partsOfHeader + turn) % IN_HEADER.length] ?? ''
      const headersOf = (chars: number) => ({ [header]: `x${repeated(part)(chars)}x` })
      return {
        name: `${header}: ${part}`,
        of: (chars: number) => ({ path: filled(path, values), headers: headersOf(chars) }),
      }
    }),
  )
}

/** The bodies of a form or of JSON that a part can make. The longest one is within the limit of the target. */
function onBody({ method, path }: Target, values: Values): Attack[] {
  if (method === 'get') return []
  const longest = /^\/(v1|callbacks)/.test(path) ? 60_000 : 3_900
  const sized = (chars: number) => Math.floor((chars * longest) / CHARS)
  return Object.entries(IN_BODY).flatMap(([type, shapes]) =>
    shapes.map(([before, part, after]) => ({
      name: `body ${before}${part}`,
      of: (chars: number) => ({
        path: filled(path, values),
        headers: { 'content-type': type, origin: SHOP_ORIGIN, 'idempotency-key': 'growth' },
        body: before + repeated(part)(sized(chars) - before.length - after.length) + after,
      }),
    })),
  )
}

/** Parts that nobody thought of: other ones at each target, the same in each run. */
function atRandom(
  { method, path }: Target,
  values: Values,
  { index, randomParts }: Size & { index: number },
): Attack[] {
  const random = seededRandom(index + 1)
  const pick = <Each>(from: ArrayLike<Each>) => from[random(0, from.length)] as Each
  const at = filled(path, values)
  return Array.from({ length: randomParts }, (_, turn) => {
    const part = Array.from({ length: random(1, 6) }, () => pick(ALPHABET)).join('')
    const header = pick(HEADERS)
    const of = (chars: number): Sent => {
      const text = repeated(part)(chars)
      if (turn % 3 === 0) return { path: `${at}?${encodeURI(text).slice(0, CHARS)}` }
      if (turn % 3 === 1 || method === 'get') return { path: at, headers: { [header]: text } }
      return { path: at, headers: { 'content-type': 'application/json' }, body: text }
    }
    return { name: `random ${part}`, of }
  })
}

/** Returns the time until the whole response has arrived, in milliseconds. */
async function msOf(
  { method }: Target,
  { path, headers, body: given = '{}' }: Sent,
  { url, agent, token }: { url: string; agent: Agent; token: string },
): Promise<number> {
  const started = performance.now()
  const body = method === 'get' ? undefined : given
  const sent = startRequest(url, {
    agent,
    // A redirect names the address again.
    maxHeaderSize: 64 * 1024,
    method: method.toUpperCase(),
    path,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      ...headers,
    },
  })
  sent.end(body)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  answer.resume()
  await once(answer, 'end')
  return performance.now() - started
}

/** Returns the time for the whole part, divided by the time for a quarter of it: the shortest times of many, taken in turns. */
async function growthOf(msFor: (chars: number) => Promise<number>): Promise<number> {
  const best = { quarter: Number.POSITIVE_INFINITY, whole: Number.POSITIVE_INFINITY }
  for (let tried = 0; tried < TRIES; tried++) {
    best.quarter = Math.min(best.quarter, await msFor(CHARS / 4))
    best.whole = Math.min(best.whole, await msFor(CHARS))
    if (tried >= TRIES_MIN && best.whole / best.quarter <= LINEAR_BELOW) break
  }
  return best.whole / best.quarter
}
