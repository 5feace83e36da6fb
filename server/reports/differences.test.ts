/** The life of a difference: found, settled by a later look, closed by a person, and opened again where the sums change. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createSession, lookUp, payAtBank, sessionRequest } from '../testing/calls.ts'
import { argv } from '../testing/command-line.ts'
import { operateHere } from '../testing/operator.ts'
import { openScene } from '../testing/scene.ts'

let orders = 0
const { kassa, shop } = await openScene()
const folder = await mkdtemp(join(tmpdir(), 'kassa-differences-'))
afterAll(async () => {
  await rm(folder, { recursive: true })
})

async function runCommand(...args: string[]) {
  const { code, stdout } = await operateHere(async () => kassa.ctx, [...args, '--json'])
  return { code, ...JSON.parse(stdout) }
}
const account = () => ['--account', kassa.ctx.routes.route_a.id]

/** Compares a statement with these lines. The first and the last line cover a month, so the books must be complete. */
async function compare(...lines: string[]) {
  const nowMs = kassa.clock.now().getTime()
  const day = (days: number) => new Date(nowMs + days * 86_400_000).toISOString()
  const file = join(folder, 'statement.csv')
  const all = ['id,Date,Sum,Fee,Type,Text', `first,${day(-20)},0,0,x,`, ...lines, `last,${day(20)},0,0,x,`]
  await writeFile(file, all.join('\n'))
  return runCommand('reconcile', ...account(), '--file', file)
}
const describeFormat = () =>
  runCommand(
    ...argv`reconcile format ${account()} --currency USD --kind in=taken out=returned`,
    ...argv`--column id=id at=Date amount=Sum fee=Fee kind=Type orders=Text`,
  )

async function begin(): Promise<{ id: string; reference: string; pay(): Promise<unknown> }> {
  const request = sessionRequest({
    provider: 'route_a',
    merchantOrderId: `order-${++orders}`,
    amountMinor: 1500,
  })
  const { body } = await createSession(kassa.url, shop, { body: request })
  const { rows } = await kassa.ctx.db.query('select reference from sandbox.attempts where payment_id = $1', [
    body.id,
  ])
  const pay = async () => {
    await payAtBank(body.providerCheckoutUrl, 'paid')
    return (await lookUp(kassa.url, shop, body.id)).body.status
  }
  return { id: body.id, reference: rows[0].reference, pay }
}
const warningsOf = async (id: string) => {
  const { rows } = await kassa.ctx.db.query<{ detail: string }>(
    'select detail from sandbox.payment_warnings where payment_id = $1',
    [id],
  )
  return rows.map(({ detail }) => detail)
}

test('a statement is refused until a person says what it does not say itself', async () => {
  expect(await compare()).toMatchObject({
    code: 1,
    error: { message: expect.stringContaining('In which currency are the amounts?') },
  })
  const guess = await runCommand('reconcile', 'columns', '--file', join(folder, 'statement.csv'))
  expect(guess.guess).toMatchObject({ at: 'Date', amount: 'Sum', fee: 'Fee', kind: 'Type' })
  expect(await describeFormat()).toMatchObject({ code: 0, format: { currency: 'USD' } })
  const { rows } = await kassa.ctx.db.query(`select what from kassa.audit_log order by seq desc limit 1`)
  expect(rows).toEqual([{ what: 'reconcile format' }])
  expect(await compare()).toMatchObject({ code: 0, format: 'own', lines: 2, others: 2, matched: 0 })
})

test('a difference of a payment that is not known as paid is a case, and is settled when it is', async () => {
  const { id, reference, pay } = await begin()
  const line = `a,${kassa.clock.now().toISOString()},15.00,0.44,in,order/${reference}`
  expect(await compare(line)).toMatchObject({ missingHere: 1, matched: 0, differing: 0 })
  expect(await warningsOf(id)).toEqual([expect.stringContaining('1500 (USD, minor units) was taken')])
  expect(await pay()).toBe('paid')
  expect(await compare(line)).toMatchObject({ missingHere: 0, matched: 1, settled: 1, open: [] })
  // The fee of the statement is in the totals.
  const today = new Date().toISOString().slice(0, 10)
  const { totals } = await runCommand('report', 'totals', '--by', 'month', '--since', today)
  expect(totals).toMatchObject([{ takenMinor: 1500, feeMinor: 44, takings: 1, takingsWithFee: 1 }])
})

test('what a person has closed stays closed while its sums are the same', async () => {
  const { id, reference, pay } = await begin()
  await pay()
  const line = (sum: string) => `b,${kassa.clock.now().toISOString()},${sum},0,in,${reference}`
  const now = line('14.00')
  expect(await compare(now)).toMatchObject({ differing: 1 })
  const name = `${id}/1 taken`
  const close = ['reconcile', 'close', ...account(), '--difference', name, '--why', 'corrected in May']
  expect((await runCommand(...close)).code).toBe(0)
  expect((await runCommand(...close)).error.code).toBe('not_found')
  expect(await compare(now)).toMatchObject({ differing: 1, open: [] })
  // Another amount for one id: only a file that replaces the earlier one may say so.
  const refused = await compare(line('13.00'))
  expect(refused.error.message).toMatch(/13\.00 USD +14\.00 USD/)
  const replaces = refused.error.message
    .match(/--replaces \w+/g)
    .join(' ')
    .split(' ')
  const newer = await runCommand(
    'reconcile',
    ...account(),
    '--file',
    join(folder, 'statement.csv'),
    ...replaces,
  )
  expect(newer.open).toMatchObject([{ id: name, oursMinor: 1500, theirsMinor: 1300 }])
})

test('what the provider does not list is missing there, and foreign money is missing here', async () => {
  const { id, pay } = await begin()
  await pay()
  const result = await compare(`c,${kassa.clock.now().toISOString()},77.00,0,in,somebody else's`)
  expect(result).toMatchObject({ missingHere: 1, missingThere: 1 })
  expect(result.open).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ id: `${id}/1 taken`, kind: 'missing_there', advice: 'ask_provider' }),
      expect.objectContaining({ id: 'line c', kind: 'missing_here', advice: 'find_its_owner' }),
    ]),
  )
})

test('a list of payouts says nothing of payments', async () => {
  const { pay } = await begin()
  await pay()
  const nowMs = kassa.clock.now().getTime()
  const row = (id: string, days: number) =>
    `${id},${new Date(nowMs + days * 86_400_000).toISOString()},usd,-5.00,0.00,payout,txn_${id}`
  const file = join(folder, 'payouts.csv')
  const head = 'payout_id,effective_at_utc,currency,gross,fee,reporting_category,balance_transaction_id'
  await writeFile(file, [head, row('po_1', -30), row('po_2', 30)].join('\n'))
  const answer = await runCommand('reconcile', ...account(), '--file', file)
  expect(answer).toMatchObject({ format: 'stripe-payouts', payouts: 2, missingThere: 0, complete: null })
})

test('an account that does not exist, and a file that cannot be read, are refused in plain words', async () => {
  const none = await runCommand('reconcile', '--account', 'acc_none', '--file', join(folder, 'statement.csv'))
  expect(none).toMatchObject({ code: 1, error: { code: 'not_found' } })
  const gone = await runCommand('reconcile', ...account(), '--file', join(folder, 'gone.csv'))
  expect(gone.error.message).toContain('cannot be read (ENOENT)')
})
