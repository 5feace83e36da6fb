/** What the commands leave in the audit log. */
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { ACT_ROWS } from '../acts/table.ts'
import { appendAudit, readAuditChain } from '../storage/audit/log.ts'
import { connect } from '../storage/db.ts'
import { upsertEvidence } from '../storage/merchants/onboarding.ts'
import { askOperation, createSession, lookUp, payAtBank, sessionRequest } from '../testing/calls.ts'
import { argv } from '../testing/command-line.ts'
import { openShop } from '../testing/harness.ts'
import { operate, operateHere } from '../testing/operator.ts'
import { startReceiver } from '../testing/receiver.ts'
import { closeAfter, openKassa } from '../testing/scene.ts'
import { isReading, verb } from './command.ts'
import { NOUNS, parseArguments } from './parser.ts'

/** The names in the JSON of each command. */
const ANSWERS: Record<string, string[]> = JSON.parse(
  readFileSync(new URL('./answers.json', import.meta.url), 'utf8'),
)
const receiver = closeAfter(await startReceiver())
const kassa = await openKassa({ permitted: { callbackAllow: ['loopback'] } })
const shop = await openShop(kassa.ctx, { callbackUrl: receiver.url })
const folder = await mkdtemp(join(tmpdir(), 'kassa-audit-'))
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

/** Runs a command in this process. Returns its JSON object. */
async function run(...args: string[]) {
  const { stdout, stderr } = await operateHere(async () => kassa.ctx, [...args, '--json'])
  const answer = JSON.parse(stdout)
  if (!answer.ok) throw new Error(`${args.join(' ')}: ${stdout}${stderr}`)
  return answer
}
const lastSeq = async () => (await readAuditChain(kassa.ctx.db, 0, 100_000)).at(-1)?.seq ?? 0

/** Runs a command, and returns the rows that it has left. */
async function rowsOf(work: () => Promise<unknown>) {
  const before = await lastSeq()
  await work()
  return readAuditChain(kassa.ctx.db, before, 1_000)
}

const mine = () => ['--merchant', shop.merchantId]
const open = async () =>
  (
    await createSession(kassa.url, shop, {
      key: `audit-${orders}`,
      body: sessionRequest({ merchantOrderId: `audit-${orders++}`, provider: 'manual' }),
    })
  ).body.id
let orders = 0

async function writeStatement(): Promise<string> {
  const file = join(folder, `statement-${++orders}.csv`)
  await writeFile(file, `Day,Sum\n2026-01-02,${orders}.00\n`)
  await run('reconcile', 'format', ...statementFormat())
  return file
}
const statementFormat = () =>
  argv`--account ${kassa.ctx.routes.route_a.id} --currency USD --column at=Day amount=Sum`

const sell = (amount: string) => [
  'product',
  'set',
  ...mine(),
  '--id',
  'cup-2',
  '--name',
  'Cup',
  '--amount',
  amount,
  '--currency',
  'USD',
]

/** A call of each command that changes something and has no row in the table of acts: what comes before it, and its arguments. */
const CHANGES: Record<string, () => Promise<string[]>> = {
  'user recover': async () => {
    await run('user', 'add', '--name', 'Ani', '--role', 'administrator')
    return ['--user', 'Ani']
  },
  'payment index': async () => [],
  'reconcile format': async () => statementFormat(),
  'reconcile statement': async () => [
    '--account',
    kassa.ctx.routes.route_a.id,
    '--file',
    await writeStatement(),
  ],
  'clock advance': async () => ['--by', '1m'],
  'secrets rotate': async () => [],
  'backup create': async () => ['--to', join(folder, 'backup')],
}
/** Commands that need more than this file has. Tests beside what they change read their rows. */
const TESTED = ['approval secret', 'backup restore', 'database move', 'restore confirm']
/**
 * Commands of which no test reads the rows. What runs a command records it, whatever the command is: see "a new command" below, and
 * for commands on the database alone `audit/verify.test.ts`. Some of these change nothing in most calls, and then leave no row.
 */
const SURROUNDED = [
  'event listen',
  'account test',
  'account ask',
  'merchant copy',
  'secrets discard',
  'backup verify',
  'database migrate',
  'database reopen',
]

const ofExample = (name: string, example: string) => {
  const words = (example.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''))
  return parseArguments([...name.split(' '), ...words], { out() {}, err() {} })
}

test('each command that may change something is in one of the lists, and what it says there is so', () => {
  const changing = NOUNS.flatMap(({ name, verbs }) =>
    verbs.filter((each) => !isReading(each)).map((each) => [`${name} ${each.name}`, each] as const),
  ).filter(([name]) => !ACT_ROWS.some((row) => row.name === name && row.form === undefined))
  const listed = [...Object.keys(CHANGES), ...TESTED, ...SURROUNDED]
  expect(listed.sort()).toEqual(changing.map(([name]) => name).sort())
  for (const [name, { examples }] of changing)
    if (SURROUNDED.includes(name))
      expect(ofExample(name, examples[0] ?? ''), name).toMatchObject({
        on: expect.stringMatching(/^(service|database)$/),
      })
})

test.each(Object.keys(CHANGES))('%s leaves rows that name it, the person and the place', async (name) => {
  const words = (await CHANGES[name]?.()) ?? []
  // A verification that fails is recorded too.
  let answer: object = {}
  const rows = await rowsOf(async () => {
    const { stdout } = await operateHere(async () => kassa.ctx, [...name.split(' '), ...words, '--json'])
    answer = JSON.parse(stdout)
  })
  // Programs of operators read these names, so none of them may go.
  expect([name, Object.keys(answer).sort()]).toEqual([name, ANSWERS[name]])
  expect(rows.length).toBeGreaterThan(0)
  for (const row of rows)
    expect(row).toMatchObject({ what: name, who: 'tester', origin: 'host test', operatorId: null })
  expect(new Set(rows.map(({ act }) => act)).size).toBe(1)
})

describe('the values in the log', () => {
  test('are those before and after, with ids and settings alone', async () => {
    await run(...sell('20.00'))
    const [price] = await rowsOf(() => run(...sell('21.50')))
    expect(price).toMatchObject({
      about: `products ${shop.merchantId}/cup-2`,
      world: 'sandbox',
      merchantId: shop.merchantId,
    })
    expect([price?.before, price?.after].map((text) => JSON.parse(text ?? ''))).toEqual([
      { amount_minor: 2000 },
      { amount_minor: 2150 },
    ])
    const [moved] = await rowsOf(() =>
      run('callback', 'set', ...mine(), '--url', `${receiver.url}?token=secret-2`),
    )
    expect(JSON.parse(moved?.after ?? '').url).toMatch(/\?[0-9a-f]{16}$/)
    const [decided] = await rowsOf(async () =>
      run('payment', 'resolve', '--payment', await open(), '--as', 'failed', '--why', 'Maria rang'),
    )
    expect(JSON.parse(decided?.after ?? '')).toEqual({
      from_status: 'pending_redirect',
      to_status: 'failed',
      actor: 'tester',
      payment_id: expect.stringMatching(/^pay_/),
      amount_minor: 1900,
      currency: 'USD',
      captured_minor: 0,
      refunded_minor: 0,
    })
    const all = JSON.stringify(await readAuditChain(kassa.ctx.db, 0, 100_000))
    expect(all).not.toMatch(/secret-[12]|whsec_|ksk_|kop_|Maria|RF-/)
  })

  test('a repeated command that changes nothing has a row of its own without values', async () => {
    await run(...sell('22.00'))
    const rows = await rowsOf(() =>
      run('callback', 'set', ...mine(), '--url', receiver.url).then(() =>
        run('callback', 'set', ...mine(), '--url', receiver.url),
      ),
    )
    expect(rows.map(({ about, before, after }) => [about, before !== null, after !== null])).toEqual([
      [`receivers ${shop.merchantId}`, true, true],
      [shop.merchantId, false, false],
    ])
  })
})

/** Runs a command that is not among ours. */
async function runMade(
  needs: 'viewer' | 'operator',
  work: Parameters<typeof verb<Record<never, never>>>[0]['run'],
) {
  const made = verb({ name: 'made', needs, summary: 'Made here', flags: {}, examples: [''], run: work })
  const noun = NOUNS.find(({ name }) => name === 'route') as { verbs: unknown[] }
  noun.verbs.push(made)
  try {
    return await operateHere(async () => kassa.ctx, ['route', 'made', '--json'])
  } finally {
    noun.verbs.pop()
  }
}
const DONE = { json: {}, text: 'done' }

describe('a new command', () => {
  test('that writes is recorded, although it knows nothing of the log', async () => {
    const rows = await rowsOf(() =>
      runMade('operator', async ({ db, clock }) => {
        await upsertEvidence(db, shop.merchantId, {
          step: 'test_payment',
          evidence: 'pay_1',
          recordedAt: clock.now(),
        })
        return DONE
      }),
    )
    expect(rows).toMatchObject([{ what: 'route made', who: 'tester', before: null }])
  })

  test('that writes and says that it only reads is refused by PostgreSQL', async () => {
    const output = await runMade('viewer', async ({ db, clock }) => {
      await upsertEvidence(db, shop.merchantId, {
        step: 'test_payment',
        evidence: 'pay_2',
        recordedAt: clock.now(),
      })
      return DONE
    })
    expect([output.code, JSON.parse(output.stdout).error.message]).toEqual([
      1,
      'cannot execute INSERT in a read-only transaction',
    ])
  })

  test('that fails leaves no row', async () => {
    const rows = await rowsOf(() =>
      runMade('operator', async () => {
        throw new Error('refused')
      }),
    )
    expect(rows).toEqual([])
  })
})

test('a command with hundreds of transactions has one row, which comes first', async () => {
  const rows = await rowsOf(() =>
    operate({ DATABASE_URL: kassa.databaseUrl, DEFAULT_PROVIDER: 'route_a' }, [
      'clock',
      'advance',
      '--by',
      '2h',
    ]),
  )
  expect(rows).toMatchObject([{ what: 'clock advance', who: 'tester', world: 'sandbox' }])
})

test('the log is listed by time, person and merchant', async () => {
  const { rows } = await run(
    'audit',
    'list',
    '--merchant',
    shop.merchantId,
    '--who',
    'TESTER',
    '--since',
    '1h',
    '--limit',
    '3',
  )
  expect(rows).toHaveLength(3)
  for (const row of rows) expect(row).toMatchObject({ merchantId: shop.merchantId, who: 'tester' })
  const { stdout } = await operateHere(async () => kassa.ctx, ['audit', 'list', '--limit', '2'])
  expect(stdout).toMatch(/2 rows/)
  expect((await run('audit', 'list', '--who', 'nobody')).rows).toEqual([])
})

test('nobody can change, remove or add a row as the role of the service', async () => {
  const { db } = kassa.ctx
  for (const attack of [
    "update kassa.audit_log set who = 'somebody' where seq = 1",
    'delete from kassa.audit_log where seq = 1',
    'insert into kassa.audit_log select * from kassa.audit_log where seq = 1',
    'truncate kassa_audit.log',
    'drop table kassa_audit.log cascade',
    'drop schema kassa_audit cascade',
    'alter table kassa_audit.log disable trigger all',
    'create trigger mine before insert on kassa_audit.log for each row execute function kassa.refuse_audit_change()',
    'create or replace function kassa_audit.append(jsonb, text, text, text, text, text) returns void language sql as $$ select $$',
    'alter table kassa_audit.log owner to current_user',
    'set role kassa_audit',
  ])
    await expect(db.query(attack), attack).rejects.toMatchObject({ code: '42501' })
})

test('payments of buyers and shops leave no row, and do not wait for whoever appends', async () => {
  const { db } = kassa.ctx
  const tx = await connect(db)
  const before = await lastSeq()
  try {
    await tx.query('begin')
    await appendAudit(tx, null, { world: null, merchantId: null, about: 'held' })
    const body = sessionRequest({ merchantOrderId: 'unheld', provider: 'route_a' })
    const { body: payment } = await createSession(kassa.url, shop, { key: 'unheld', body })
    await payAtBank(payment.providerCheckoutUrl, 'paid')
    const refund = { key: 'unheld-refund', body: { amountMinor: 500, reason: 'broken' } }
    expect((await askOperation(kassa.url, shop, payment.id, 'refunds', refund)).status).toBe(201)
    expect((await lookUp(kassa.url, shop, payment.id)).body.status).toMatch(/paid|refunded/)
  } finally {
    await tx.query('rollback')
    tx.release()
  }
  expect(await lastSeq()).toBe(before)
})
