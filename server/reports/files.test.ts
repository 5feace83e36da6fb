/** Files of statements: equal ids, overlapping files, one that replaces another, one that is taken back, and bank transfers by number. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { shortNumber } from '../id.ts'
import { createSession, sessionRequest } from '../testing/calls.ts'
import { operateHere } from '../testing/operator.ts'
import { seededRandom } from '../testing/random.ts'
import { openScene } from '../testing/scene.ts'

let count = 0
const { kassa, shop } = await openScene()
const folder = await mkdtemp(join(tmpdir(), 'kassa-files-'))
afterAll(async () => {
  await rm(folder, { recursive: true })
})
beforeEach(async () => {
  for (const table of [
    'statement_lines',
    'statement_contents',
    'statement_files',
    'statements',
    'statement_findings',
    'statement_answers',
  ])
    await kassa.ctx.db.query(`delete from sandbox.${table}`)
})

async function runCommand(...args: string[]) {
  const { code, stdout } = await operateHere(async () => kassa.ctx, [...args, '--json'])
  return { code, ...JSON.parse(stdout) }
}
const account = () => ['--account', kassa.ctx.routes.manual.id]
async function write(text: string): Promise<string> {
  const file = join(folder, `${++count}.csv`)
  await writeFile(file, text)
  return file
}
const read = async (text: string, ...more: string[]) =>
  runCommand('reconcile', ...account(), '--file', await write(text), ...more)
const stored = async () =>
  (
    await kassa.ctx.db.query<{ id: string; kind: string; minor: number; day: string }>(
      `select line_id as id, kind, amount_minor as minor, to_char(at at time zone 'UTC', 'YYYY-MM-DD') as day
       from sandbox.statement_lines order by at, line_id`,
    )
  ).rows

const HEAD = 'Transaction ID,Date,Amount,Currency,Text\n'

describe('lines with one id', () => {
  test('of two kinds are two lines, and equal ones count as often as they stand', async () => {
    const text = `${HEAD}x1,2026-11-02,10.00,USD,sale\nx1,2026-11-03,-10.00,USD,back\nx2,2026-11-04,5.00,USD,a\nx2,2026-11-04,5.00,USD,a\n`
    expect(await read(text)).toMatchObject({ code: 0, lines: 4, newLines: 4 })
    expect((await stored()).map(({ kind, minor }) => [kind, minor])).toEqual([
      ['taken', 1000],
      ['returned', 1000],
      ['taken', 500],
      ['taken', 500],
    ])
    // Once more, also in another order, nothing is new.
    expect(await read(text)).toMatchObject({ lines: 4, newLines: 0 })
    const [head, one, two, ...rest] = text.trim().split('\n')
    expect(await read([head, two, one, ...rest].join('\n'))).toMatchObject({ lines: 4, newLines: 0 })
    expect(await stored()).toHaveLength(4)
  })

  test('of one kind with two amounts are asked about, with both lines', async () => {
    const text = `${HEAD}x1,2026-11-02,10.00,USD,sale\nx1,2026-11-03,12.00,USD,sale\n`
    const question = await read(text)
    expect(question.error.message).toMatch(/line 2: x1, 10\.00 USD\n.*line 3: x1, 12\.00 USD/)
    expect(question.error.message).toContain('--equal-ids both')
    expect(await stored()).toEqual([])
    expect(await read(text, '--equal-ids', 'both')).toMatchObject({ code: 0, newLines: 2 })
    // The answer is kept for all files with this head.
    expect(await read(`${text}x5,2026-11-05,1.00,USD,sale\n`)).toMatchObject({ code: 0, newLines: 1 })
  })
})

describe('files that overlap', () => {
  test('add the lines that are not stored yet, by id, else by content and number', async () => {
    const head = 'Date,Amount,Currency,Text\n'
    const [one, two, three] = [
      '2026-11-02,1.00,USD,a\n',
      '2026-11-03,1.00,USD,b\n',
      '2026-11-04,1.00,USD,c\n',
    ]
    expect(await read(head + one + two + two)).toMatchObject({ newLines: 3 })
    expect(await read(head + two + three)).toMatchObject({ lines: 2, newLines: 1 })
    expect(await read(head + two + two + two)).toMatchObject({ lines: 3, newLines: 1 })
    expect(await stored()).toHaveLength(5)
  })

  test('with another amount for one id are refused with both amounts, until one replaces the other', async () => {
    const first = await read(`${HEAD}x1,2026-11-02,10.00,USD,sale\nx2,2026-11-02,1.00,USD,sale\n`)
    const text = `${HEAD}x1,2026-11-02,12.00,USD,sale\n`
    const refused = await read(text)
    expect(refused.error.message).toMatch(/12\.00 USD\s+10\.00 USD/)
    expect(refused.error.message).toContain(`--replaces ${first.statement.slice(0, 12)}`)
    expect((await stored()).map(({ minor }) => minor)).toEqual([1000, 100])
    expect(await read(text, '--replaces', first.statement.slice(0, 12))).toMatchObject({
      code: 0,
      newLines: 1,
    })
    expect((await stored()).map(({ minor }) => minor)).toEqual([1200])
    const { statements } = await runCommand('reconcile', 'list', ...account())
    expect(statements.find(({ digest }: { digest: string }) => digest === first.statement)).toMatchObject({
      withdrawnWhy: expect.stringContaining('replaced by'),
    })
  })
})

describe('a statement that was read wrongly', () => {
  const days =
    'Date,Amount,Currency,Text\n05/06/2026,1.00,USD,a\n07/08/2026,1.00,USD,b\n09/08/2026,2.00,USD,c\n'

  test('is read anew in the right order of days, and nothing of the wrong one is left', async () => {
    const question = await read(days)
    expect(question.error.message).toContain('what does 05/06/2026 mean?')
    expect(question.error.message).toContain('5 June 2026: add --dates dmy')
    expect(await read(days, '--dates', 'mdy')).toMatchObject({ code: 0 })
    const file = await write(days)
    expect(await runCommand('reconcile', ...account(), '--file', file, '--dates', 'dmy')).toMatchObject({
      newLines: 3,
    })
    expect((await stored()).map(({ day }) => day)).toEqual(['2026-06-04', '2026-08-06', '2026-08-08'])
    const { rows } = await kassa.ctx.db.query('select from_at from sandbox.statements')
    expect(rows).toEqual([{ from_at: new Date('2026-06-04T20:00:00Z') }])
  })

  test('is withdrawn with its lines, its range and its open differences. What was decided stays, marked', async () => {
    const one = await read(`${HEAD}x1,2026-11-02,10.00,USD,sale\nx2,2026-11-03,11.00,USD,sale\n`)
    const two = await read(`${HEAD}x2,2026-11-03,11.00,USD,sale\nx3,2026-11-09,12.00,USD,sale\n`)
    expect(two.newLines).toBe(1)
    await runCommand('reconcile', 'close', ...account(), '--difference', 'line x1', '--why', 'a gift')
    const withdraw = () =>
      runCommand(
        'reconcile',
        'withdraw',
        ...account(),
        '--statement',
        one.statement,
        '--why',
        'wrong account',
      )
    expect(await withdraw()).toMatchObject({
      code: 0,
      withdrawn: { lines: 2, kept: 1, differences: 0, decided: 1 },
    })
    expect((await stored()).map(({ id }) => id)).toEqual(['x2', 'x3'])
    const { rows } = await kassa.ctx.db.query(
      `select id, closed_by is not null as decided, withdrawn_at is not null as withdrawn, closed_at is null as open
       from sandbox.statement_findings order by id`,
    )
    expect(rows).toEqual([
      { id: 'line x1', decided: true, withdrawn: true, open: false },
      { id: 'line x2', decided: false, withdrawn: false, open: true },
      { id: 'line x3', decided: false, withdrawn: false, open: true },
    ])
    expect((await kassa.ctx.db.query('select digest from sandbox.statements')).rows).toEqual([
      { digest: two.statement },
    ])
    // A second time it finds nothing to take out. Read again, the lines are back.
    expect(await withdraw()).toMatchObject({ code: 0, withdrawn: { lines: 0 } })
    expect(
      await runCommand('reconcile', 'withdraw', ...account(), '--statement', two.statement),
    ).toMatchObject({
      withdrawn: { lines: 2, kept: 0, differences: 2 },
    })
    expect(await stored()).toEqual([])
    expect(await read(`${HEAD}x1,2026-11-02,10.00,USD,sale\nx2,2026-11-03,11.00,USD,sale\n`)).toMatchObject({
      newLines: 2,
    })
  })

  test('that nobody has read is not withdrawn', async () => {
    for (const name of ['0'.repeat(64), 'x', '0'.repeat(8)])
      expect(await runCommand('reconcile', 'withdraw', ...account(), '--statement', name)).toMatchObject({
        code: 1,
        error: { code: 'not_found' },
      })
  })
})

describe('a bank transfer', () => {
  async function open(amountMinor: number): Promise<string> {
    const body = sessionRequest({ merchantOrderId: `f-${++count}`, provider: 'manual', amountMinor })
    return (await createSession(kassa.url, shop, { body })).body.id
  }
  const lineOf = (amount: string, text: string) => `2026-11-28,"${text}",${amount},USD\n`
  const owner = async () =>
    (await kassa.ctx.db.query('select payment_id, maybe from sandbox.statement_lines order by line_id')).rows

  test.each([
    ['alone', (number: string) => number],
    ['without its blank', (number: string) => number.replace(' ', '')],
    ['in small letters', (number: string) => number.toLowerCase()],
    ['inside a sentence', (number: string) => `Payment for order ${number}, thank you`],
    ['joined to other words', (number: string) => `SVWZ+${number.replace(' ', '')}ABWA+X`],
    [
      'broken by a bank',
      (number: string) => `EREF+NOTPROVIDED SVWZ+RECHNUNG ${number.slice(0, 2)} ${number.slice(2)}`,
    ],
    ['between a phone number and a date', (number: string) => `+374 99 123456 ${number} 28.11.2026`],
    ['in the middle of a reference of the bank', (number: string) => `/RFB/${number.replace(' ', '')}/XYZ`],
    ['with blanks between all signs', (number: string) => [...number.replace(' ', '')].join(' ')],
    ['behind a mark for the number', (number: string) => `оплата заказа №${number.replace(' ', '')}.НДС нет`],
    ['with dashes', (number: string) => `nr.${number.replace(' ', '-')}/2026`],
    [
      'in Cyrillic letters that look alike',
      (number: string) => number.replaceAll('M', 'М').replaceAll('K', 'К').replaceAll('P', 'Р'),
    ],
    [
      'behind two hundred letters',
      (number: string) => `${'Payment for goods under the contract '.repeat(6)}${number}`,
    ],
  ])('is found by its number %s', async (_, written) => {
    const id = await open(123_450)
    await runCommand('payment', 'confirm', '--payment', id, '--reference', `R ${++count}`)
    const text = written(shortNumber(id))
    const result = await read(`Date,Payment details,Amount,Currency\n${lineOf('1234.50', text)}`)
    expect(result).toMatchObject({ code: 0, matched: 1, missingHere: 0 })
    expect(await owner()).toEqual([{ payment_id: id, maybe: [] }])
  })

  test('with another amount, another currency or two numbers is a question, and confirms nothing', async () => {
    const [one, two] = [await open(2_375), await open(2_375)]
    const [first, second] = [shortNumber(one), shortNumber(two)]
    for (const [amount, currency, text, maybe] of [
      ['23.76', 'USD', first, [one]],
      ['23.75', 'EUR', first, [one]],
      ['23.75', 'USD', `${first} and ${second}`, [one, two].sort()],
    ] as const) {
      await kassa.ctx.db.query('delete from sandbox.statement_lines')
      await kassa.ctx.db.query('delete from sandbox.statement_findings')
      const result = await read(`Date,Text,Amount,Currency\n2026-11-28,${text},${amount},${currency}\n`)
      expect(result).toMatchObject({ code: 0, matched: 0, missingHere: 1 })
      expect((await owner()).map((each) => [each.payment_id, each.maybe.sort()])).toEqual([[null, maybe]])
      expect(result.open[0]).toMatchObject({
        statementFile: expect.stringMatching(/^[0-9a-f]{64}$/),
        statementLine: 2,
        maybe,
      })
    }
    // Found, and still not paid: a person confirms it.
    await kassa.ctx.db.query('delete from sandbox.statement_lines')
    const found = await read(`Date,Text,Amount,Currency\n2026-11-28,${first},23.75,USD\n`)
    expect(found).toMatchObject({ matched: 0, missingHere: 1 })
    expect((await runCommand('payment', 'show', '--payment', one)).payment.status).toBe('pending_redirect')
  })

  for (const [count, tags] of [
    [200, []],
    [10_000, ['long']],
  ] as const)
    test(`of ${count} foreign lines with digits and letters like ours none is found`, {
      tags: [...tags],
    }, async () => {
      const numbers: string[] = []
      for (let number = 0; number < 20; number++) numbers.push(shortNumber(await open(1_000 + (number % 5))))
      const random = seededRandom(20_261_128)
      const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
      const some = (signs: string, length: number) =>
        Array.from({ length }, () => signs[random(0, signs.length)]).join('')
      /**
       * One of our numbers with one sign changed or missing. Of two equal signs none is removed: the word before may end with the same
       * sign, and then the number would be complete.
       */
      const near = () => {
        const plain = (numbers[random(0, numbers.length)] ?? '').replace(' ', '')
        const at = random(0, plain.length)
        const isTwice = plain[at] === plain[at - 1]
        const other = ALPHABET[(ALPHABET.indexOf(plain[at] ?? '') + random(1, 32)) % 32]
        return `${plain.slice(0, at)}${random(0, 4) === 0 && at > 0 && at < 7 && !isTwice ? '' : other}${plain.slice(at + 1)}`
      }
      const texts = [
        () => `DE${some('0123456789', 20)} tel +${some('0123456789', 11)}`,
        () => `order ${some(ALPHABET, 8)} of ${some('0123456789', 2)}.11.2026`,
        () => `EREF+${some(ALPHABET, 24)} SVWZ+Rechnung ${near()}`,
        () => `${near()}, ${near()}`,
        () => `ref ${near().toLowerCase()} / ${some('0123456789', 14)}`,
      ]
      const lines = Array.from({ length: count }, (_, at) =>
        lineOf(`10.0${at % 5}`, texts[at % texts.length]?.() ?? ''),
      )
      const result = await read(`Date,Text,Amount,Currency\n${lines.join('')}`)
      expect(result).toMatchObject({ code: 0, lines: count, matched: 0 })
      const { rows } = await kassa.ctx.db.query(
        `select count(*)::int as count from sandbox.statement_lines where payment_id is not null or maybe <> '{}'`,
      )
      expect(rows).toEqual([{ count: 0 }])
    })
})
