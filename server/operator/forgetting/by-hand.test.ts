/** What people wrote about a transfer or into a proposal names a forgotten buyer no longer. */
import { beforeAll, expect, test, vi } from 'vitest'
import { addOperator, type Person } from '../../audit/people.ts'
import { confirmPayment } from '../../payments/decisions/payment.ts'
import { noteReturn } from '../../payments/decisions/returned.ts'
import { insertPaymentWarning, settlePaymentWarnings } from '../../storage/payments/payment-warnings.ts'
import { createSession, sessionRequest } from '../../testing/calls.ts'
import { grantAs } from '../../testing/scene/people.ts'
import { openScene } from '../../testing/scene.ts'
import { proposeAlways } from '../approvals/approvals.ts'
import { dropExpiredValues } from '../approvals/expired.ts'
import { GRANT_LEASE_MS } from '../approvals/grantable.ts'
import { fold } from '../finding/fold.ts'
import { writeAllRows } from '../finding/rows.ts'
import { forgetCustomer } from './forget.ts'

const EMAIL = 'ani@forget.example'
const HOUR_MS = 3_600_000

const { kassa, shop } = await openScene()
let davit: Person
let mane: Person
let orders = 0
beforeAll(async () => {
  davit = (await addOperator(kassa.ctx, { name: 'Davit', role: 'administrator' })).operator
  mane = (await addOperator(kassa.ctx, { name: 'Mane', role: 'administrator' })).operator
})

async function open(): Promise<string> {
  const body = sessionRequest({ merchantOrderId: `hand-${++orders}`, provider: 'manual', amountMinor: 1_900 })
  return (await createSession(kassa.url, shop, { key: `hand-${orders}`, body })).body.id
}
const forget = (dryRun = false) => forgetCustomer(kassa.ctx, { email: EMAIL, dryRun })
async function rowsOf(text: string, values: unknown[] = []) {
  return (await kassa.ctx.db.query(text, values)).rows
}
const entriesOf = (id: string) =>
  rowsOf(`select * from sandbox.entries where payment_id = $1 order by number`, [id])
const wordsOf = async (id: string): Promise<string[]> =>
  (
    await rowsOf(
      'select tsvector_to_array(words) as words from sandbox.payment_search where payment_id = $1',
      [id],
    )
  )[0]?.words

test('a reference in the books becomes its digest, and all else of the entry stays', async () => {
  const [id, other] = [await open(), await open()]
  const arrived = { amountMinor: 2_000, accepts: true, actor: 'Davit' }
  await confirmPayment(kassa.ctx, id, { ...arrived, reference: `tea ${EMAIL}` })
  await noteReturn(kassa.ctx, id, { reference: `back ${EMAIL}`, amountMinor: 300, actor: 'Davit', why: null })
  await confirmPayment(kassa.ctx, other, { reference: 'RF18', actor: 'Davit' })
  await writeAllRows(kassa.ctx)
  const [before, kept, words] = [await entriesOf(id), await entriesOf(other), await wordsOf(id)]
  expect(before.map(({ kind }) => kind)).toEqual(['taken', 'unmatched', 'over_returned', 'refunded'])
  expect(words).toContain(`r:${fold(`tea ${EMAIL}`)}`)
  expect((await forget(true)).entries).toBe(4)
  expect(await entriesOf(id)).toEqual(before)
  expect((await forget()).entries).toBe(4)
  const after = await entriesOf(id)
  const digest = expect.stringMatching(/^sha256:[0-9a-f]{64}$/)
  expect(after).toEqual(before.map((each) => ({ ...each, provider_id: digest })))
  expect(await entriesOf(other)).toEqual(kept)
  // The payment is found as before, but no more by what the reference said about the buyer.
  expect((await wordsOf(id)).filter((word) => word.includes(fold(EMAIL)))).toEqual([])
  expect(await wordsOf(id)).toContain(`o:hand${orders - 1}`)
  expect((await forget()).entries).toBe(0)
  expect(await entriesOf(id)).toEqual(after)
  // The same transfer is known as before, confirms no other payment, and is still one of its sum.
  const again = { ...arrived, reference: `tea ${EMAIL}` }
  expect(await confirmPayment(kassa.ctx, id, again)).toMatchObject({ confirmed: false })
  const otherSum = confirmPayment(kassa.ctx, id, { ...again, amountMinor: 1_900 })
  await expect(otherSum).rejects.toMatchObject({ details: { reason: 'reference_amount' } })
  await expect(confirmPayment(kassa.ctx, await open(), again)).rejects.toThrow('One transfer')
  const back = { reference: `back ${EMAIL}`, amountMinor: 300, actor: 'Davit', why: null }
  expect(await noteReturn(kassa.ctx, id, back)).toMatchObject({ noted: false })
})

const WAITING = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
  and query like '%search_positions%'`

test('a worker that has read the reference before does not write it into a search row afterwards', async () => {
  const id = await open()
  await confirmPayment(kassa.ctx, id, { reference: `cup ${EMAIL}`, actor: 'Davit' })
  await writeAllRows(kassa.ctx)
  const worker = await kassa.ctx.db.connect()
  try {
    await worker.query('begin')
    await worker.query(`select from sandbox.search_positions where name = 'fresh' for update`)
    const forgotten = forget()
    await vi.waitFor(async () => expect(await rowsOf(WAITING)).toHaveLength(1), { timeout: 60_000 })
    await worker.query('update sandbox.payment_search set words = words where payment_id = $1', [id])
    await worker.query('commit')
    await forgotten
  } finally {
    await worker.query('rollback')
    worker.release()
  }
  expect(await wordsOf(id)).toContain(`o:hand${orders}`)
  expect((await wordsOf(id)).filter((word) => word.includes(fold(EMAIL)))).toEqual([])
})

test('what a person wrote when a warning was settled names the buyer no longer', async () => {
  const id = await open()
  const arrived = { reference: 'RF17', amountMinor: 2_000, accepts: true, actor: 'Davit' }
  await confirmPayment(kassa.ctx, id, arrived)
  const settled = { at: kassa.ctx.clock.now(), by: 'Davit', why: `sent back to ${EMAIL}`, until: null }
  expect(await settlePaymentWarnings(kassa.ctx.db, id, settled)).toHaveLength(1)
  expect((await forget()).warnings).toBe(1)
  const rows = await rowsOf(
    'select settled_by, settled_why from sandbox.payment_warnings where payment_id = $1',
    [id],
  )
  expect(rows).toEqual([{ settled_by: 'Davit', settled_why: 'sent back to ' }])
})

test('two warnings that differ in the buyer alone both stay, without the buyer', async () => {
  const id = await open()
  const [{ merchant_id: merchantId } = {}] = await rowsOf(
    'select merchant_id from sandbox.payments where id = $1',
    [id],
  )
  const of = { merchantId, paymentId: id, createdAt: kassa.ctx.clock.now() }
  for (const spelled of [EMAIL, EMAIL.toUpperCase()])
    await insertPaymentWarning(kassa.ctx.db, { ...of, detail: `another card of ${spelled}` })
  expect((await forget()).warnings).toBe(2)
  const rows = await rowsOf('select detail from sandbox.payment_warnings where payment_id = $1', [id])
  expect(rows.map(({ detail }) => /^another card of \([0-9a-f-]{36}\)$/.test(detail))).toEqual([true, true])
  expect((await forget()).warnings).toBe(0)
})

const DIGEST = `provider_id = 'sha256:' || encode(sha256(convert_to(provider_id, 'UTF8')), 'hex')`
async function change(sets: string, id: string, isForgetting: boolean): Promise<void> {
  const tx = await kassa.ctx.db.connect()
  try {
    await tx.query('begin')
    if (isForgetting) await tx.query(`select set_config('kassa.forgetting', 'yes', true)`)
    await tx.query(`update sandbox.entries set ${sets} where payment_id = $1`, [id])
    await tx.query('commit')
  } finally {
    await tx.query('rollback')
    tx.release()
  }
}
const kept = { constraint: 'entries_are_kept' }

test('nothing else of an entry can be changed, and the reference to nothing else and by nobody else', async () => {
  const id = await open()
  await confirmPayment(kassa.ctx, id, { reference: 'RF19', actor: 'Davit' })
  const before = await entriesOf(id)
  for (const sets of [
    `provider_id = 'sha256:0'`,
    'provider_id = null',
    `${DIGEST}, amount_minor = 1`,
    `${DIGEST}, proof = 'operator Mane'`,
    `proof = 'x'`,
  ])
    await expect(change(sets, id, true)).rejects.toMatchObject(kept)
  await expect(change(DIGEST, id, false)).rejects.toMatchObject(kept)
  expect(await entriesOf(id)).toEqual(before)
  await change(DIGEST, id, true)
  const after = await entriesOf(id)
  expect(after).not.toEqual(before)
  // A digest of the digest would be another name, so the forgetting is once only.
  await expect(change(DIGEST, id, true)).rejects.toMatchObject(kept)
})

test("a provider's own id is not changed by the forgetting either", async () => {
  const id = await open()
  await confirmPayment(kassa.ctx, id, { reference: 'RF23', actor: 'Davit' })
  await rowsOf(
    `insert into sandbox.entries select merchant_id, payment_id, attempt, number + 1, 'unmatched', amount_minor, currency, $2, 'answer',
       moved_at, created_at from sandbox.entries where payment_id = $1`,
    [id, `tx of ${EMAIL}`],
  )
  const before = await entriesOf(id)
  await forget()
  expect(await entriesOf(id)).toEqual(before)
  await expect(change(DIGEST, id, true)).rejects.toMatchObject(kept)
})

const propose = async (reference: string, lastsMs: number) => {
  const given = { args: { paymentId: await open(), reference }, lastsMs, makeRoom: async () => null }
  return (await proposeAlways(kassa.ctx, davit, 'payment confirm', given)).id
}
const stateOf = async (id: string) =>
  (
    await rowsOf('select state, sealed is not null as "hasValues" from kassa.proposals where id = $1', [id])
  )[0]

test('a proposal that names the buyer is refused, and its values are gone', async () => {
  const found = [await propose(`from ${EMAIL}`, HOUR_MS), await propose(`from ${EMAIL}`, 1)]
  const other = await propose('RF20', HOUR_MS)
  // A colleague is no buyer, even with the same address.
  const args = { name: 'Ani', role: 'operator', email: EMAIL } as const
  const given = { args, lastsMs: HOUR_MS, makeRoom: async () => null }
  const colleague = (await proposeAlways(kassa.ctx, davit, 'user add', given)).id
  expect((await forget(true)).proposals).toBe(2)
  expect((await forget()).proposals).toBe(2)
  for (const id of found) expect(await stateOf(id)).toEqual({ state: 'refused', hasValues: false })
  for (const id of [other, colleague]) expect(await stateOf(id)).toEqual({ state: 'open', hasValues: true })
  expect((await forget()).proposals).toBe(0)
  await expect(grant(found[0] ?? '')).rejects.toThrow('refused already')
})

const grant = (id: string, now?: Date) => grantAs(kassa.ctx, mane, id, now)

test('a proposal that has expired loses its values', async () => {
  const [expired, late, fresh] = [
    await propose('RF21', -GRANT_LEASE_MS),
    await propose('RF24', -1),
    await propose('RF22', HOUR_MS),
  ]
  await dropExpiredValues(kassa.ctx)
  expect(await stateOf(expired)).toEqual({ state: 'open', hasValues: false })
  // Whoever has granted it just before is reading them.
  expect(await stateOf(late)).toEqual({ state: 'open', hasValues: true })
  expect(await stateOf(fresh)).toEqual({ state: 'open', hasValues: true })
})

test('what was granted, interrupted and left until it expired says so', async () => {
  const id = await propose('RF25', -GRANT_LEASE_MS)
  await rowsOf(
    `update kassa.proposals set state = 'granted', decided_by = $2, decided_at = now() - interval '1 hour' where id = $1`,
    [id, mane.id],
  )
  await dropExpiredValues(kassa.ctx)
  await expect(grant(id)).rejects.toThrow(/expired at .* Propose it again/)
})
