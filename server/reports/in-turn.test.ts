/** Two processes at one account's statements: only one reads or withdraws at a time, and nothing of a statement is lost or left. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { operate } from '../testing/operator.ts'
import { openKassa } from '../testing/scene.ts'
import { examineStatement } from './examine.ts'
import type { StatementFile } from './reading/file.ts'
import { reconcile } from './reconcile.ts'

const kassa = await openKassa()
const folder = await mkdtemp(join(tmpdir(), 'kassa-turn-'))
afterAll(async () => {
  await rm(folder, { recursive: true })
})
beforeEach(async () => {
  for (const table of ['lines', 'contents', 'files', 'answers'])
    await kassa.ctx.db.query(`delete from sandbox.statement_${table}`)
  await kassa.ctx.db.query('delete from sandbox.statements')
})

const account = () => kassa.ctx.routes.manual.id
/** The command line of another process: with its own connections. */
async function runCommand(...args: string[]) {
  const { stdout } = await operate({ DATABASE_URL: kassa.databaseUrl }, [
    'reconcile',
    ...args,
    '--account',
    account(),
    '--json',
  ])
  return JSON.parse(stdout)
}
const LINES = 40
const rowOf = (number: number, minor: number) => `x${number},2026-11-28,${(minor / 100).toFixed(2)},USD\n`
const textOf = (minor: number) =>
  [
    'Transaction ID,Date,Amount,Currency\n',
    ...Array.from({ length: LINES }, (_, at) => rowOf(at, minor)),
  ].join('')
async function write(name: string, minor: number): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, textOf(minor))
  return path
}
const counts = async () =>
  (
    await kassa.ctx.db.query<{ lines: number; contents: number; sums: number }>(
      `select (select count(*)::int from sandbox.statement_lines) as lines, (select count(*)::int from sandbox.statement_contents) as contents,
         (select count(distinct amount_minor)::int from sandbox.statement_lines) as sums`,
    )
  ).rows[0]

/** Runs `meanwhile` once, in the middle of the reading that stores. */
function interrupted(text: string, meanwhile: () => Promise<void>): StatementFile & { arm(): void } {
  let isArmed = false
  return {
    arm() {
      isArmed = true
    },
    open: () =>
      Readable.from(
        (async function* () {
          yield Buffer.from(text.slice(0, text.length / 2))
          if (isArmed) {
            isArmed = false
            await meanwhile()
          }
          yield Buffer.from(text.slice(text.length / 2))
        })(),
      ),
  }
}

test('a statement is not withdrawn, and not read by another process, while it is read', async () => {
  const path = await write('same.csv', 500)
  const text = textOf(500)
  const [first] = [await runCommand('--file', path)]
  const outcomes: string[] = []
  const file = interrupted(text, async () => {
    for (const args of [
      ['withdraw', '--statement', first.statement, '--why', 'race'],
      ['--file', path],
    ])
      outcomes.push((await runCommand(...args)).error?.message ?? 'done')
  })
  await runCommand('withdraw', '--statement', first.statement, '--why', 'again')
  const examined = await examineStatement(kassa.ctx, account(), { file, format: undefined, answers: {} })
  file.arm()
  const result = await reconcile(kassa.ctx, account(), examined, { by: 'tester' })
  expect(outcomes).toEqual([
    expect.stringContaining('is being read'),
    expect.stringContaining('is being read'),
  ])
  expect(result.lines).toBe(LINES)
  expect(await counts()).toEqual({ lines: LINES, contents: LINES, sums: 1 })
  // When it has ended, it can be withdrawn.
  expect(await runCommand('withdraw', '--statement', first.statement, '--why', 'after')).toMatchObject({
    ok: true,
  })
  expect(await counts()).toEqual({ lines: 0, contents: 0, sums: 0 })
})

test('what was looked at before another statement was read is not stored', async () => {
  const file = { open: () => Readable.from([Buffer.from(textOf(700))]) }
  const examined = await examineStatement(kassa.ctx, account(), { file, format: undefined, answers: {} })
  expect(await runCommand('--file', await write('other.csv', 500))).toMatchObject({ ok: true })
  await expect(reconcile(kassa.ctx, account(), examined, { by: 'tester' })).rejects.toThrow(
    'was read or withdrawn meanwhile',
  )
  expect(await counts()).toEqual({ lines: LINES, contents: LINES, sums: 1 })
})
