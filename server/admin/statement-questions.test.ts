/** What a statement leaves open is asked on the terminal, once. Without a terminal the command refuses and names the flag. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { operateHere } from '../testing/operator.ts'
import { openKassa } from '../testing/scene.ts'

let count = 0
const kassa = await openKassa()
const folder = await mkdtemp(join(tmpdir(), 'kassa-questions-'))
afterAll(async () => {
  await rm(folder, { recursive: true })
})
beforeEach(async () => {
  for (const table of ['lines', 'contents', 'files', 'answers'])
    await kassa.ctx.db.query(`delete from sandbox.statement_${table}`)
  await kassa.ctx.db.query('delete from sandbox.statements')
})

/** Runs the command on the file. `answers`: what is typed, one after the other. Without them there is no terminal. */
async function read(content: string | Buffer, answers: string[] | null, ...flags: string[]) {
  const file = join(folder, `${++count}.csv`)
  await writeFile(file, content)
  const questions: string[] = []
  const given = [...(answers ?? [])]
  const ask = async (question: string) => {
    questions.push(question)
    const answer = given.shift()
    if (answer === undefined) throw new Error(`asked too much: ${question}`)
    return answer
  }
  const { code, stdout, stderr } = await operateHere(
    async () => kassa.ctx,
    ['reconcile', '--account', kassa.ctx.routes.manual.id, '--file', file, ...flags],
    answers ? { ask } : {},
  )
  return { code, stdout, stderr, questions }
}
const stored = async () =>
  (
    await kassa.ctx.db.query<{ line: string }>(
      `select kind || ' ' || amount_minor || ' ' || currency || ' ' || to_char(at at time zone 'Asia/Yerevan', 'YYYY-MM-DD') as line
       from sandbox.statement_lines order by line_id, kind`,
    )
  ).rows.map(({ line }) => line)

const rows = (...lines: string[]) => `${lines.join('\n')}\n`
const western = Buffer.from(
  rows('Date,Name,Amount,Currency', '2026-11-27,\xcd\xe5\xf2,5.00,USD', '2026-11-28,M\xfcller,6.00,USD'),
  'latin1',
)

/** The file, what is typed, the flag that a refusal names, and a line that is stored. */
const QUESTIONS: Record<string, [file: string | Buffer, typed: string, flag: string, line: string]> = {
  'an amount of a thousand, or of one and a quarter': [
    rows('Date,Text,Amount,Currency', '2026-11-28,x,1.250,USD'),
    '2',
    '--decimal-sign . --three-decimals',
    'taken 125 USD 2026-11-28',
  ],
  'a day of May, or of June': [
    rows('Date,Text,Amount,Currency', '05/06/2026,x,1.50,USD', '07/06/2026,y,2.50,USD'),
    '1',
    '--dates dmy',
    'taken 150 USD 2026-06-05',
  ],
  'a day that may begin or end with its year': [
    rows('Date,Text,Amount,Currency', '26-11-20,x,1.50,USD'),
    '2',
    '--dates yymmdd',
    'taken 150 USD 2026-11-20',
  ],
  'the currency of the amounts, where their name and a column differ': [
    rows('Date,Text,Amount (EUR),Currency', '2026-11-28,x,1.50,USD'),
    'eur',
    '--currency',
    'taken 150 EUR 2026-11-28',
  ],
  'the currency': [
    rows('Date,Text,Amount', '2026-11-28,x,1.50'),
    'eur',
    '--currency',
    'taken 150 EUR 2026-11-28',
  ],
  'the word for money that came': [
    rows('Date,Direction,Amount,Currency', '2026-11-28,Zu,5.00,USD', '2026-11-28,Ab,6.00,USD'),
    '1',
    '--credit Zu',
    'returned 600 USD 2026-11-28',
  ],
  'kinds of lines, where no amount has a sign': [
    rows('Date,Type,Amount,Currency', '2026-11-28,One,5.00,USD', '2026-11-28,Two,6.00,USD'),
    '3',
    '--unsigned came',
    'taken 600 USD 2026-11-28',
  ],
  'amounts without a sign beside others with CR': [
    rows('Date,Text,Amount,Currency', '2026-11-28,x,5.00,USD', '2026-11-28,y,6.00 CR,USD'),
    '1',
    '--unsigned went',
    'returned 500 USD 2026-11-28',
  ],
  'statuses that nobody knows': [
    rows('Date,Status,Amount,Currency', '2026-11-28,Done,5.00,USD', '2026-11-28,Zork,6.00,USD'),
    '1',
    '--status Done',
    'taken 500 USD 2026-11-28',
  ],
  'an encoding': [western, '2', '--encoding windows-1252', 'taken 600 USD 2026-11-28'],
  'different amounts with one id': [
    rows('Transaction ID,Date,Amount,Currency', 'x1,2026-11-27,5.00,USD', 'x1,2026-11-28,6.00,USD'),
    'yes',
    '--equal-ids both',
    'taken 600 USD 2026-11-28',
  ],
}

test.each(Object.entries(QUESTIONS))('%s', async (_, [file, typed, flag, line]) => {
  const refused = await read(file, null)
  expect([refused.code, refused.stderr.includes(flag)]).toEqual([1, true])
  expect(await stored()).toEqual([])
  const answered = await read(file, [typed, 'yes'])
  expect([answered.code, answered.stderr]).toEqual([0, ''])
  expect(answered.questions).toHaveLength(2)
  expect(answered.questions[1]).toContain('Type yes to store these lines')
  // What will be stored is shown before the person says yes.
  expect(answered.stdout).toContain('First lines')
  expect(await stored()).toContain(line)
  // The answer is kept for all files with this head, so the next one only needs the yes.
  const again = await read(Buffer.concat([Buffer.from(file), Buffer.from('\n')]), ['yes'])
  expect([again.code, again.questions.length]).toEqual([0, 1])
})

test('a word that comes after the answer is asked about, and only then', async () => {
  const file = (...words: string[]) =>
    rows('Date,Direction,Amount,Currency', ...words.map((word) => `2026-11-28,${word},5.00,USD`))
  expect((await read(file('Zu', 'Ab'), ['1', 'yes'])).code).toBe(0)
  expect((await read(file('Zu', 'Ab', 'Ab'), ['yes'])).code).toBe(0)
  const refused = await read(file('Zu', 'Weg'), null)
  expect([refused.code, refused.stderr.includes('--credit Zu')]).toEqual([1, true])
  const { code, questions } = await read(file('Zu', 'Weg'), ['1', 'yes'])
  expect([code, questions.length]).toEqual([0, 2])
  expect((await read(file('Zu', 'Weg', 'Zu'), ['yes'])).code).toBe(0)
})

test.each([
  [['--currency', 'dollars'], 'must be the code of a currency'],
  [['--time-zone', 'Yerevan'], 'must be a time zone'],
])('%j is refused', async (flags, message) => {
  const refused = await read(rows('Date,Text,Amount', '2026-11-28,x,1.50'), null, ...flags)
  expect([refused.code, refused.stderr.includes(message)]).toEqual([1, true])
  const small = await read(rows('Date,Text,Amount', '2026-11-28,x,1.50'), null, '--currency', 'usd', '--yes')
  expect([small.code, await stored()]).toEqual([0, ['taken 150 USD 2026-11-28']])
})

test('a number that is none of the answers stores nothing, and neither does a no', async () => {
  const file = rows('Date,Text,Amount,Currency', '2026-11-28,x,1.250,USD')
  for (const typed of ['', '0', '3', 'two', '1.5']) {
    const { code, stderr } = await read(file, [typed])
    expect([typed, code, stderr.includes('none of the numbers')]).toEqual([typed, 1, true])
  }
  const { code, stdout } = await read(file, ['1', 'no'])
  expect([code, stdout.includes('Nothing was stored.')]).toEqual([0, true])
  const statuses = rows('Date,Status,Amount,Currency', '2026-11-28,Done,5.00,USD', '2026-11-28,Zork,6.00,USD')
  for (const typed of ['', '1, 5', 'Done'])
    expect([typed, (await read(statuses, [typed])).code]).toEqual([typed, 1])
  expect(await stored()).toEqual([])
})

test('a flag answers before anybody is asked, and --yes stores without asking', async () => {
  const file = rows('Date,Text,Amount,Currency', '2026-11-28,x,1.250,USD')
  const { code, questions } = await read(file, [], '--decimal-sign', ',', '--yes')
  expect([code, questions]).toEqual([0, []])
  expect(await stored()).toEqual(['taken 125000 USD 2026-11-28'])
})

test('days are shown in the zone in which they were read', async () => {
  const file = rows('Date,Text,Amount,Currency', '2026-11-28,x,1.50,USD', '2026-11-28 15:42,y,2.50,USD')
  const { stdout } = await read(file, null, '--time-zone', 'Asia/Yerevan', '--dry-run')
  expect(stdout).toContain(' 2026-11-28 to 2026-11-28 15:42:00')
  expect(stdout).not.toContain('UTC')
})

test.each([
  ['a sign beside the amounts', rows('Date,Text,Amount', '2026-11-28,x,€1.50'), 'EUR'],
  ['the name of the amounts', rows('Date,Text,Amount (EUR)', '2026-11-28,x,1.50'), 'EUR'],
  [
    'the text above the table',
    rows('Account currency,INR', '', 'Date,Text,Amount', '2026-11-28,x,1.50', '2026-11-28,y,2.50'),
    'INR',
  ],
])('another currency than that of %s is read with a word', async (_, file, stated) => {
  const same = await read(file, null, '--currency', stated, '--dry-run')
  expect(same.stdout).not.toContain('The file states')
  const { stdout } = await read(file, null, '--currency', 'USD', '--dry-run')
  expect(stdout).toContain(`The file states ${stated}. Its amounts are read as USD, as you have said.`)
})
