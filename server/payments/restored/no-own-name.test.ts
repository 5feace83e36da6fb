/**
 * After a restore, at a bank whose orders have numbers of a sequence: what it was sent in the lost hours cannot be found there. No
 * renewal is charged twice by itself, and people read what they have to compare.
 */
import { afterEach, expect, onTestFinished, test } from 'vitest'
import type { Context } from '../../context.ts'
import { ameriaDriver } from '../../providers/ameria/driver.ts'
import { inTransaction, openDb } from '../../storage/db.ts'
import { markRestored } from '../../storage/restores/restores.ts'
import { createSession, sessionRequest } from '../../testing/calls.ts'
import { startAmeriaBench } from '../../testing/providers/ameria/bench.ts'
import { PREPARE, setMoneyScene } from '../../testing/providers/money-scene.ts'
import { closeAfter } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { type DecidedStatus, resolvePayment } from '../decisions/payment.ts'

const HOUR_MS = 3_600_000

const bench = await startAmeriaBench()
const scene = closeAfter(await setMoneyScene('ameria', { driver: ameriaDriver, start: async () => bench }))
const { kassa, shop } = scene

const EMPTIED = [
  'subscription_charges',
  'subscriptions',
  'payments',
  'attempts',
  'restore_checks',
  'restores',
]
afterEach(() =>
  kassa.ctx.db.query(`
    alter table sandbox.subscriptions disable trigger user;
    ${EMPTIED.map((table) => `delete from sandbox.${table};`).join(' ')}
    alter table sandbox.subscriptions enable trigger user`),
)

/** Marks the database as that of a backup that was an hour old. */
async function restore(): Promise<void> {
  const restoredAt = kassa.clock.now()
  const backupAt = new Date(restoredAt.getTime() - HOUR_MS)
  await inTransaction(kassa.ctx.db, (tx) =>
    markRestored(tx, 'sandbox', { backupAt, restoredAt, settledPerHour: 3_600 }),
  )
  kassa.clock.advance(1_000)
}

/** A process that starts now, and reads everything anew. */
function startProcess(): Context {
  const db = openDb(kassa.databaseUrl, { world: 'sandbox', max: 4 })
  onTestFinished(() => db.end())
  return { ...kassa.ctx, db }
}

/** Makes the subscription as old as it was before its charge. */
async function loseCharge(): Promise<void> {
  await kassa.ctx.db.query(`
    alter table sandbox.subscriptions disable trigger user;
    delete from sandbox.subscription_charges; delete from sandbox.payments; delete from sandbox.attempts;
    update sandbox.subscriptions set status = 'incomplete', period = 1, next_charge_at = anchor_at, due_at = anchor_at,
      created_at = created_at - interval '2 hours';
    alter table sandbox.subscriptions enable trigger user`)
}

async function readCharges({ db }: Context) {
  const { rows } = await db.query<{ id: string; status: string; state: string }>(
    `select p.id, p.status, c.state from sandbox.subscription_charges c join sandbox.payments p on p.id = c.payment_id
     order by c.attempt`,
  )
  return rows
}

test.each([
  ['paid', 1, [['paid', 'paid']]],
  [
    'failed',
    2,
    [
      ['failed', 'failed'],
      ['paid', 'paid'],
    ],
  ],
] as const)(
  'a renewal of the lost hours waits for a person, who says %s: the card was charged %i times',
  async (decision: DecidedStatus, times, ended) => {
    const piece = await PREPARE.chargeToken(scene)
    await scene.later()
    expect(await piece.finish()).toMatchObject({ status: 'paid', charges: 1 })
    await loseCharge()
    await restore()
    await SWEEPS.restoreChecks(startProcess())
    const ctx = startProcess()
    const { rows } = await ctx.db.query(
      'select problem, ended_at is not null as ended from sandbox.restore_checks, sandbox.restores',
    )
    expect(rows).toEqual([{ problem: expect.stringContaining('compare with'), ended: true }])
    for (let hours = 0; hours < 3; hours++) {
      await SWEEPS.renewals(ctx)
      kassa.clock.advance(HOUR_MS)
    }
    const [held] = await readCharges(ctx)
    expect(held?.status).toBe('status_unknown')
    expect(await piece.finish()).toMatchObject({ charges: 1 })

    await resolvePayment(ctx, held?.id ?? '', decision, { actor: 'ani', why: 'compared with the bank' })
    for (let runs = 0; runs < 3; runs++) await SWEEPS.renewals(ctx)
    expect((await readCharges(ctx)).map(({ status, state }) => [status, state])).toEqual(ended)
    expect(await piece.finish()).toMatchObject({ charges: times })
    const { rows: subscriptions } = await ctx.db.query('select status, period from sandbox.subscriptions')
    expect(subscriptions).toEqual([{ status: 'active', period: 1 }])
  },
)

test('a merchant who cancels the subscription meanwhile leaves the charge to a person', async () => {
  const piece = await PREPARE.chargeToken(scene)
  await scene.later()
  expect(await piece.finish()).toMatchObject({ charges: 1 })
  await loseCharge()
  await restore()
  await SWEEPS.restoreChecks(startProcess())
  const ctx = startProcess()
  await SWEEPS.renewals(ctx)
  await ctx.db.query(
    `update sandbox.subscriptions set status = 'cancelled', cancel_reason = 'requested', cancelled_at = now(), next_charge_at = null,
       due_at = now() - interval '1 minute'`,
  )
  await SWEEPS.renewals(ctx)
  expect(await readCharges(ctx)).toMatchObject([{ status: 'status_unknown', state: 'failed' }])
})

test('an order that a buyer may have opened in the lost hours, after one that is over, is left to a person', async () => {
  const body = sessionRequest({ merchantOrderId: 'over', provider: 'route_a', amountMinor: 1_900 })
  const { id } = (await createSession(kassa.url, shop, { key: 'over', body })).body
  await kassa.ctx.db.query("update sandbox.attempts set state = 'declined', question_due_at = null")
  await restore()
  await SWEEPS.restoreChecks(startProcess())
  const ctx = startProcess()
  const { rows } = await ctx.db.query('select id, problem from sandbox.restore_checks')
  expect(rows).toEqual([{ id, problem: expect.stringContaining('its number') }])
})
