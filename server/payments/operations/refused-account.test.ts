/**
 * A provider that refuses the account at a refund, a capture or a void. This says nothing about the operation: it waits, and is done
 * once when the account is accepted again. After a day a person decides.
 */
import { expect, test } from 'vitest'
import { listPaymentWarnings } from '../../storage/payments/payment-warnings.ts'
import { askOperation, lookUp } from '../../testing/calls.ts'
import { type Ledger, openLedger, RESTRICTED } from '../../testing/providers/ledger-bank.ts'
import { newName, openScene } from '../../testing/scene.ts'
import { resolveOperation } from '../decisions/operation.ts'

const { kassa, shop, getOperation, pay, runOperations } = await openScene()

const MINUTE_MS = 60_000
const FOREVER = Array.from({ length: 1_000 }, () => 'restrict' as const)
const WORDS = 'the payment provider has not activated this account, or has restricted it'
const DECISION = { actor: 'operator', why: 'the account stays restricted' }

const WRITES = [
  { path: 'refunds', steps: 'paid', body: { amountMinor: 500, reason: 'r' }, after: { refundedMinor: 500 } },
  { path: 'capture', steps: 'authorized', body: { reason: 'r' }, after: { status: 'paid' } },
  { path: 'void', steps: 'authorized', body: { reason: 'r' }, after: { status: 'reversed' } },
] as const
type Write = (typeof WRITES)[number]

/** Asks for the operation of a new payment. Returns the ids of both. */
async function ask({ path, body }: Write): Promise<{ paymentId: string; id: string }> {
  const { id: paymentId } = await pay()
  const { body: answer } = await askOperation(kassa.url, shop, paymentId, path, { key: newName(), body })
  return { paymentId, id: answer.operation.id }
}

/** Works every hour for longer than a day. */
async function waitADay(): Promise<void> {
  for (let hour = 0; hour < 25; hour++) {
    await runOperations()
    kassa.clock.advance(60 * MINUTE_MS)
  }
}
const open = ({ steps }: Write, keyed: boolean): Ledger => openLedger(kassa.ctx, { keyed, status: steps })
const REFUND = WRITES[0]

for (const keyed of [false, true])
  test.each(WRITES)(
    `$path waits and is done once (the bank repeats its answers: ${keyed})`,
    async (write) => {
      const ledger = open(write, keyed)
      ledger.bends = ['restrict', 'restrict', 'restrict']
      const { id, paymentId } = await ask(write)
      await runOperations()
      expect(await getOperation(id)).toMatchObject({
        status: 'processing',
        sentAt: null,
        statusReason: WORDS,
      })
      for (let tries = 0; tries < 6; tries++) {
        kassa.clock.advance(2 * MINUTE_MS)
        await runOperations()
      }
      expect(await getOperation(id)).toMatchObject({ status: 'succeeded', sendCount: 1, refusedTimes: 3 })
      expect(ledger.writes).toHaveLength(4)
      expect((await lookUp(kassa.url, shop, paymentId)).body).toMatchObject(write.after)
    },
  )

test('after a day a person decides, and reads what the provider said', async () => {
  const ledger = open(REFUND, true)
  ledger.bends = [...FOREVER]
  const { id, paymentId } = await ask(REFUND)
  await waitADay()
  const ended = await getOperation(id)
  expect(ended?.status).toBe('requires_operator_review')
  expect(ended?.statusReason).toMatch(/could not be carried out: the payment provider.*nothing was done/)
  expect(ended?.statusReason).not.toContain(RESTRICTED)
  const warnings = await listPaymentWarnings(kassa.ctx.db, shop.merchantId, paymentId)
  expect(warnings.map(({ detail }) => detail)).toContainEqual(expect.stringContaining(RESTRICTED))
  const sent = ledger.writes.length
  ledger.bends = []
  await waitADay()
  expect([(await getOperation(id))?.status, ledger.writes.length]).toEqual(['requires_operator_review', sent])
})

test('a person who decides while the worker sends wins once: nothing is sent after the decision', async () => {
  const ledger = open(REFUND, false)
  ledger.bends = [...FOREVER]
  const { id, paymentId } = await ask(REFUND)
  for (let hour = 0; hour < 24; hour++) {
    await runOperations()
    kassa.clock.advance(60 * MINUTE_MS)
  }
  kassa.clock.advance(30 * MINUTE_MS)
  const before = ledger.writes.length
  ledger.bends = []
  // The worker ends the wait while the person looks; in either order the refund is never both decided and sent.
  const decide = () => resolveOperation(kassa.ctx, id, 'failed', DECISION)
  const [, decided] = await Promise.allSettled([runOperations(), decide()])
  if (decided.status === 'rejected') await decide()
  await runOperations()
  expect([(await getOperation(id))?.status, ledger.writes.length - before]).toEqual(['failed', 0])
  expect((await lookUp(kassa.url, shop, paymentId)).body).toMatchObject({ status: 'paid', refundedMinor: 0 })
})

test('a decision about an operation that still waits is refused, and the refund is done once afterwards', async () => {
  const ledger = open(REFUND, false)
  ledger.bends = ['restrict']
  const { id } = await ask(REFUND)
  const refused: unknown[] = []
  ledger.meanwhile = async () => {
    await resolveOperation(kassa.ctx, id, 'failed', DECISION).catch((error: unknown) => refused.push(error))
  }
  await runOperations()
  kassa.clock.advance(2 * MINUTE_MS)
  await runOperations()
  expect(refused).toHaveLength(2)
  expect([(await getOperation(id))?.status, ledger.writes.length]).toEqual(['succeeded', 2])
})
