/** Payments as a file, and lists with all filters. */
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSession, payAtBank, sessionRequest } from '../../testing/calls.ts'
import { operateHere, operateJson } from '../../testing/operator.ts'
import { openScene } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { csvLines } from './csv.ts'
import { EXPORT_COLUMNS } from './payments.ts'

/** More than one page. */
const OTHERS = 230

let folder: string
let orders = 0
const ids: Record<string, string> = {}
const { kassa, shop } = await openScene()
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kassa-export-'))
  const metadata = { address: '=HYPERLINK("x")', note: 'ring twice,\nred door', quantity: 2 }
  const customer = { email: 'ani@shop.example', name: '=cmd|x', phone: '+374 99 123456' }
  await open('ani', { amountMinor: 4500, customer, metadata }, 'paid')
  await run('payment', 'refund', '--payment', ids.ani ?? '', '--amount', '5.00', '--why', 'broken')
  await SWEEPS.moneyOperations(kassa.ctx)
  for (let index = 0; index < OTHERS; index++) await open(`other-${index}`, { amountMinor: 1000 + index })
  kassa.clock.advance(24 * 3_600_000)
  await open('held', { amountMinor: 9900, provider: 'route_b' }, 'paid')
  await SWEEPS.searchRows(kassa.ctx)
})
afterAll(async () => {
  await rm(folder, { recursive: true })
})

const run = async (...args: string[]) =>
  (await operateJson({}, args, (_settings, words) => operateHere(async () => kassa.ctx, words))).answer
const list = async (...args: string[]) =>
  (await run('payment', 'list', ...args)).payments.map(({ id }: { id: string }) => id)

async function open(name: string, changes: object, outcome?: string): Promise<void> {
  const key = `export-${++orders}`
  const body = sessionRequest({ merchantOrderId: key, provider: 'route_a', ...changes })
  const { body: session } = await createSession(kassa.url, shop, { key, body })
  ids[name] = session.id
  if (outcome) await payAtBank(session.providerCheckoutUrl, outcome)
}

/** Reads a file as a spreadsheet would. */
async function read(file: string): Promise<Record<string, string>[]> {
  const text = await readFile(file, 'utf8')
  const [head = [], ...rows] = text
    .slice(1)
    .trimEnd()
    .split('\r\n')
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
        ([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare ?? '',
      ),
    )
  return rows.map((cells) => Object.fromEntries(head.map((name, index) => [name, cells[index] ?? ''])))
}

test('an export has a line for each payment and for each refund, and adds up to the books', async () => {
  const to = join(folder, 'all.csv')
  expect(await run('payment', 'export', '--to', to, '--zone', 'Asia/Yerevan')).toMatchObject({
    lines: OTHERS + 3,
  })
  const lines = await read(to)
  expect(lines).toHaveLength(OTHERS + 3)
  const sum = lines.reduce((minor, { amount }) => minor + Math.round(Number(amount) * 100), 0)
  const { rows } = await kassa.ctx.db.query(
    'select sum(captured_minor - refunded_minor)::int as kept from sandbox.payments',
  )
  expect(sum).toBe(rows[0].kept)
  const own = lines.filter(({ payment }) => payment === ids.ani)
  expect(own.map(({ kind, amount, asked }) => [kind, amount, asked])).toEqual([
    ['payment', '45.00', '45.00'],
    ['refund', '-5.00', '45.00'],
  ])
  for (const line of lines) {
    expect(line.order).toMatch(/^export-\d+$/)
    expect(line['short number']).toBe(line.payment?.slice(-8).toUpperCase())
    expect(line.zone).toBe('Asia/Yerevan')
  }
  expect(own[0]).toMatchObject({
    name: "'=cmd|x",
    telephone: "'+374 99 123456",
    address: `'=HYPERLINK("x")`,
    note: 'ring twice,\nred door',
    quantity: '2',
  })
  expect((await stat(to)).mode & 0o777).toBe(0o600)
  expect((await run('payment', 'export', '--to', to)).error.message).toContain('EEXIST')
})

test('cells of text are no formulas, and quotes and line breaks stay in their cell', () => {
  const texts = ['=1+1', '+1', '-1', '@a', '\t=1', ' =1', '＝1', 'plain', 'a "b", c', 'a\nb']
  const lines = texts.map((text) => ({ text, sum: '-5.00' }))
  const [first, ...rest] = csvLines(lines, ['text', 'sum'], ['sum']).trimEnd().split('\r\n')
  expect(first).toBe("'=1+1,-5.00")
  for (const line of rest.slice(0, 6)) expect(line).toMatch(/^"?'/)
  expect(rest.slice(6)).toEqual(['plain,-5.00', '"a ""b"", c",-5.00', '"a\nb",-5.00'])
  expect(EXPORT_COLUMNS).not.toContain('token')
})

/** The cells that a spreadsheet makes of our line if it splits at this separator, with and without regard for quotes. */
function cellsOf(line: string, separator: string): string[] {
  const bare = line.split(separator)
  const quoted = bare.map((cell) => (/^".*"$/s.test(cell) ? cell.slice(1, -1).replaceAll('""', '"') : cell))
  return [...bare, ...quoted, ...quoted.map((cell) => cell.replace(/^"+/, ''))]
}

test.each([',', ';', '\t', '|', '\n', '\r', '\u2028', '\u0085'])(
  'no cell is a formula in a spreadsheet that splits at %j',
  (separator) => {
    const starts = [...'=+-@＝＋－＠−–—‐‑‒―⁻₋﹣﹦﹢﹫➕➖']
    const before = ['', ' ', '\u00a0', '"', "'", '“', '\u200b', '\ufeff', '\u202e', '" ', '\u0000']
    for (const start of starts)
      for (const first of before)
        for (const text of [
          `Bob${separator}${first}${start}HYPERLINK(1)`,
          `${first}${start}cmd|x`,
          `${separator}${first}${start}1`,
        ]) {
          const line = csvLines([{ text, sum: '-5.00' }], ['text', 'sum'], ['sum'])
          const begun = cellsOf(line.replace(/,-5\.00\r\n$/, ''), separator).map((cell) => cell.trim()[0])
          expect([text, begun.filter((each) => each !== undefined && starts.includes(each))]).toEqual([
            text,
            [],
          ])
        }
  },
)

test('honest texts and amounts stay as they are, and a column of numbers takes only numbers', () => {
  const honest = [
    'Tea – large',
    'a-b',
    'Ձու, հաց; 2 հատ',
    'x = y',
    'ani@shop.example',
    '5 - 3',
    'Ани; +чай'.replace('+', ''),
  ]
  for (const text of honest)
    expect(csvLines([{ text }], ['text'], []).trimEnd().replace(/^"|"$/g, '')).toBe(text)
  const amounts = ['-5.00', '0', '12.5', '=1', '-1+1']
  const cells = amounts.map((sum) => csvLines([{ sum }], ['sum'], ['sum']).trimEnd())
  expect(cells).toEqual(['-5.00', '0', '12.5', "'=1", "'-1+1"])
})

test('a list takes every filter, alone and with others', async () => {
  expect(await list('--customer', 'ani@shop')).toEqual([ids.ani])
  expect(await list('--customer', 'nobody@shop')).toEqual([])
  expect(await list('--route', 'route_b')).toEqual([ids.held])
  expect(await list('--min', '45.00')).toEqual([ids.held, ids.ani])
  expect(await list('--min', '45.00', '--max', '60.00')).toEqual([ids.ani])
  expect(await list('--since', '1h')).toEqual([ids.held])
  expect(await list('--until', '1h', '--min', '45.00')).toEqual([ids.ani])
  expect(await list('--order', 'export-1', '--status', 'partially_refunded')).toEqual([ids.ani])
  expect((await run('payment', 'list', '--min', 'much')).error.code).toBe('validation_failed')
})

test('the next page of a filtered list is the rest of it', async () => {
  const filters = ['--until', '1h', '--max', '20.00', '--limit', '100']
  const seen: string[] = []
  for (let after: string[] = []; ; ) {
    const { payments, next } = await run('payment', 'list', ...filters, ...after)
    seen.push(...payments.map(({ id }: { id: string }) => id))
    if (!next) break
    after = ['--after', next]
  }
  expect(new Set(seen).size).toBe(OTHERS)
  expect(seen).toHaveLength(OTHERS)
})
