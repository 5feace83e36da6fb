/**
 * Payments at all simulated providers, and their statements with planted differences. Every planted difference must be found, and no
 * other. The short and the long test both use this suite.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import {
  BANK_FORMAT,
  bankLines,
  paypalLines,
  stripeLines,
  type Written,
  writeBank,
  writePaypal,
  writeStripe,
} from '../testing/books/statement.ts'
import { askOperation } from '../testing/calls.ts'
import {
  advance,
  DAY,
  deskOf,
  type History,
  HOUR,
  MINUTE,
  newHistory,
  ordersOf,
  sweepAll,
} from '../testing/histories/history.ts'
import { buy, comeBack, sell } from '../testing/histories/trade.ts'
import { closeWorld, type RouteName, resetWorld, startWorld, type World } from '../testing/histories/world.ts'
import { operateHere } from '../testing/operator.ts'

const SPAN_MS = 8 * DAY
const USED = ['route_a', 'route_b', 'route_e'] as const
type Used = (typeof USED)[number]

/**
 * Returns the figures of the run. `copies`: how often the rows of each payment and its lines are copied after it was made at the
 * simulators. `planted`: differences in all three statements together.
 */
export async function findPlanted({
  payments,
  copies = 0,
  planted,
}: {
  payments: number
  copies?: number
  planted: number
}) {
  const world = await startWorld()
  const folder = await mkdtemp(join(tmpdir(), 'kassa-statement-'))
  try {
    await resetWorld(world)
    await trade(newHistory(world), payments)
    await copyPayments(world, copies)
    const books = await namesOf(world)
    const lines = await linesOf(world, books)
    const expected = new Map<Used, string[]>()
    let entries = 0
    const started = performance.now()
    let rssBytes = 0
    for (const [index, route] of USED.entries()) {
      const part = Math.floor(planted / 3) + (index < planted % 3 ? 1 : 0)
      // Where few are planted, each provider begins with another kind.
      const plan = plant(lines[route].flatMap(copyLine(copies)), books, { count: part, from: 3 * index })
      expected.set(route, plan.expected)
      entries += plan.lines.length
      const file = join(folder, `${route}.csv`)
      await writeFile(file, write(route, plan.lines))
      await compareTwice(world, route, { file, expected: plan.expected })
      rssBytes = Math.max(rssBytes, process.memoryUsage().rss)
    }
    // Payments whose only line is gone, and payments of which a refund is gone.
    expect([...expected.values()].flat()).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^missing_there .* taken$/),
        expect.stringMatching(/ returned$/),
      ]),
    )
    return { lines: entries, seconds: (performance.now() - started) / 1_000, rssBytes, expected }
  } finally {
    await closeWorld(world)
    await rm(folder, { recursive: true })
  }
}

const DISPUTES = ['lost', 'won', 'inquiry'] as const

/** Payments over some days: each third one is refunded in part, and each ninth is disputed. */
async function trade(history: History, payments: number): Promise<void> {
  // The rules about each request read every order, which takes too long for many orders.
  for (const desk of Object.values(history.world.desks))
    Object.assign(desk.door.state, { watch: async () => {}, answered: async () => {}, altered: () => {} })
  for (let number = 0; number < payments; number++) {
    const route = USED[number % USED.length] as RouteName
    const sale = await sell(history, { at: 0, size: 2 * number * 17 }, route)
    expect(sale).not.toBeNull()
    if (!sale) continue
    expect(await buy(history, sale, 'pay', 1)).toBe(true)
    await comeBack(history, sale)
    if (number % 9 < 3) {
      const body = { amountMinor: 100 + (number % 7), reason: 'r' }
      const { url } = history.world.kassa
      const key = `refund-${number}`
      const answer = await askOperation(url, sale.seller.shop, sale.id, 'refunds', { key, body })
      expect(answer.status).toBe(201)
    }
    if (number % 9 === 3 || number % 9 === 7) {
      const [order] = await ordersOf(history, sale)
      const what = DISPUTES[Math.floor(number / 9) % DISPUTES.length] as (typeof DISPUTES)[number]
      expect(await deskOf(history, route).dispute(order?.reference ?? '', what, 300 + number)).toBe(true)
    }
    if (number % 9 === 8) await sweepAll(history)
    for (const desk of Object.values(history.world.desks)) await desk.letters('lose')
    advance(history, SPAN_MS / payments)
  }
  for (const ms of [MINUTE, 5 * MINUTE, HOUR, DAY]) {
    advance(history, ms)
    for (let run = 0; run < 1 + payments / 100; run++) await sweepAll(history)
  }
}

const numbered = (text: string, copy: number) => (text === '' || copy === 0 ? text : `${text}${copy}`)

async function copyPayments({ look }: World, copies: number): Promise<void> {
  const columns = {
    payments: { id: 't.id || n' },
    attempts: { payment_id: 't.payment_id || n', reference: 't.reference || n' },
    entries: { payment_id: 't.payment_id || n', provider_id: 't.provider_id || n' },
  }
  for (const [name, changed] of Object.entries(columns)) {
    const values = Object.entries(changed).map(([column, value]) => `'${column}', ${value}`)
    await look.query(`alter table sandbox.${name} disable trigger user;
      create temporary table one as select * from sandbox.${name};
      insert into sandbox.${name} select copy.* from one t, generate_series(1, ${copies}) n,
        jsonb_populate_record(null::sandbox.${name}, to_jsonb(t) || jsonb_build_object(${values.join(', ')})) copy;
      drop table one; alter table sandbox.${name} enable trigger user; analyze sandbox.${name}`)
  }
}

const copyLine = (copies: number) => (line: Written) =>
  Array.from({ length: copies + 1 }, (_, copy) => ({
    ...line,
    id: numbered(line.id, copy),
    reference: line.reference.replace(/^[^.]+/, (own) => numbered(own, copy)),
    movement: numbered(line.movement, copy),
    parent: numbered(line.parent, copy),
  }))

type Names = Map<string, { id: string; at: Date }>

/** The name of each attempt in the list of differences, by our reference at the provider. */
async function namesOf({ look }: World): Promise<Names> {
  const { rows } = await look.query<{ reference: string; id: string; at: Date }>(
    `select a.reference, a.payment_id || '/' || a.number as id, min(e.created_at) as at
     from sandbox.attempts a join sandbox.entries e on e.payment_id = a.payment_id and e.attempt = a.number group by 1, 2`,
  )
  return new Map(rows.map(({ reference, ...rest }) => [reference, rest]))
}

async function linesOf(world: World, books: Names): Promise<Record<Used, Written[]>> {
  const timeOf = (reference: string) => books.get(reference)?.at ?? new Date(0)
  return {
    route_a: stripeLines(world),
    route_b: paypalLines(world),
    route_e: await bankLines(world, timeOf),
  }
}

const write = (route: Used, lines: Written[]) =>
  ({ route_a: writeStripe, route_b: writePaypal, route_e: writeBank })[route](lines)

/** Each plan: the lines that replace one line, and the difference that follows. */
const PLANS: ((line: Written, name: string) => [lines: Written[], id: string, kind: string])[] = [
  (_, name) => [[], name, 'missing_there'],
  (line, name) => [[{ ...line, minor: line.minor + 1 }], name, 'differing'],
  (line, name) => [[line, { ...line, id: `${line.id}-again` }], name, 'missing_here'],
  (line, name) => [[{ ...line, currency: line.currency === 'USD' ? 'EUR' : 'USD' }], name, 'differing'],
  (line) => [
    [
      line,
      { ...line, id: `${line.id}-foreign`, reference: 'foreign', movement: 'foreign', parent: 'foreign' },
    ],
    'line',
    'missing_here',
  ],
]

/** `from`: the number of the first kind of difference. */
function plant(
  all: Written[],
  books: Names,
  { count, from }: { count: number; from: number },
): { lines: Written[]; expected: string[] } {
  const [first = 0, last = 0] = [Math.min, Math.max].map((of) => of(...all.map(({ at }) => at.getTime())))
  const disputed = new Set(all.filter(({ side }) => side === 'disputed').map(referenceOf))
  const inside = all.filter(
    (line) =>
      line.at.getTime() > first + 1.3 * DAY &&
      line.at.getTime() < last - 1.3 * DAY &&
      !disputed.has(referenceOf(line)),
  )
  // At most one for each payment, so that each has a name of its own.
  const once = [...new Map(inside.map((each) => [referenceOf(each), each])).values()]
  const step = Math.floor(once.length / count)
  expect(step).toBeGreaterThan(0)
  // The first plan takes a payment's only line away.
  const start = once.findIndex(({ side }) => side === 'taken')
  const chosen = new Map(
    Array.from({ length: count }, (_, at) => [once[(start + at * step + (at % step)) % once.length], at]),
  )
  const expected: string[] = []
  const lines = all.flatMap((line) => {
    const number = chosen.get(line)
    if (number === undefined) return [line]
    const name = `${books.get(referenceOf(line))?.id} ${line.side}`
    const [written, id, kind] = (PLANS[(from + number) % PLANS.length] as (typeof PLANS)[number])(line, name)
    expected.push(`${kind} ${id}`)
    return written
  })
  return { lines, expected: expected.sort() }
}

const referenceOf = ({ reference }: Written) => reference.split('.')[0] ?? ''

async function compareTwice(
  world: World,
  route: Used,
  { file, expected }: { file: string; expected: string[] },
): Promise<void> {
  const { ctx, look } = world
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await operateHere(async () => ctx, [...args, '--json'])
    expect([code, stderr, code === 0 ? '' : stdout]).toEqual([0, '', ''])
    return JSON.parse(stdout)
  }
  const account = ['--account', ctx.routes[route].id]
  if (route === 'route_e') await run('reconcile', 'format', ...account, ...BANK_FORMAT)
  const first = await run('reconcile', ...account, '--file', file)
  const names = async () => {
    const { findings } = await run('reconcile', 'list', ...account, '--limit', '500')
    return findings
      .map(({ kind, id }: { kind: string; id: string }) => `${kind} ${id.replace(/^line .*/, 'line')}`)
      .sort()
  }
  expect(await names()).toEqual(expected)
  const count = (kind: string) => expected.filter((each) => each.startsWith(kind)).length
  expect(first).toMatchObject({
    missingHere: count('missing_here'),
    missingThere: count('missing_there'),
    differing: count('differing'),
    newLines: first.lines,
    settled: 0,
  })
  const rows = async () =>
    (
      await look.query(
        `select md5(string_agg(t::text, ' ' order by t::text)) as digest from (
           select l::text as t from sandbox.statement_lines l union all select f::text from sandbox.statement_findings f
           union all select s::text from sandbox.statements s union all select w::text from sandbox.payment_warnings w
           union all select seq::text from kassa.audit_log) all_rows`,
      )
    ).rows[0].digest
  const before = await rows()
  const second = await run('reconcile', ...account, '--file', file)
  expect(second).toEqual({ ...first, newLines: 0 })
  expect(await rows()).toBe(before)
}
