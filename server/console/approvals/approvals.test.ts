/** A second person in the console: what is at stake, and grants that must not be. */
import { expect, test } from 'vitest'
import { changeUser } from '../../access/users.ts'
import type { Person } from '../../audit/people.ts'
import { listApprovals } from '../../operator/approvals/listing.ts'
import { applyStatus } from '../../payments/transition.ts'
import { readAuditChain } from '../../storage/audit/log.ts'
import { storeLimit } from '../../storage/audit/proposals.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { createSession, sessionRequest } from '../../testing/calls.ts'
import { forgetProofs, openAs, withPasskey } from '../../testing/console.ts'
import { openShop } from '../../testing/harness.ts'
import { openConsole } from '../../testing/scene/console.ts'
import { proposeAs } from '../../testing/scene/people.ts'

let orders = 0
const { kassa, desk, shop, signIn, signInAs } = await openConsole()
const { merchantId } = await openShop(kassa.ctx)
const administrator = await signInAs('administrator')
const ani = await withPasskey(kassa.ctx, desk, administrator)
const opened = await signInAs('operator')
const davit = await withPasskey(kassa.ctx, desk, opened)
const proposer: Person = { id: opened.id, name: 'A operator', role: 'operator' }
const viewer = await signIn('viewer', { merchantId })
await storeLimit(kassa.ctx.db, 'USD', 500)

async function propose(by: Person = proposer, more = {}): Promise<{ approval: string; paymentId: string }> {
  const key = `approval-${++orders}`
  const body = sessionRequest({ merchantOrderId: key, provider: 'manual', amountMinor: 1900 })
  const { body: session } = await createSession(kassa.url, shop, { key, body })
  const args = { paymentId: session.id, reference: `RF${orders}`, ...more }
  const approval = await proposeAs(kassa.ctx, by, 'payment confirm', args)
  return { approval, paymentId: session.id }
}
const at = (id: string) => `/sandbox/approvals/${id}`
const status = async (id: string) => (await findPaymentById(kassa.ctx.db, id))?.status
const stateOf = async (id: string) =>
  (await listApprovals(kassa.ctx, { all: true })).find((each) => each.id === id)?.state

test('another person grants it once, by two clicks at once too', async () => {
  const { approval, paymentId } = await propose()
  expect((await ani.get('/sandbox/approvals')).text).toContain(at(approval))
  expect((await ani.get('/sandbox/desk')).text).toContain(at(approval))
  const { text } = await ani.get(at(approval))
  expect(text).toContain('A operator has proposed: confirming money that has arrived.')
  expect(text).toContain('$19.00')
  const both = await Promise.all([
    ani.post(`${at(approval)}/grant`, {}),
    ani.post(`${at(approval)}/grant`, {}),
  ])
  expect(both.map((each) => each.status).sort()).toEqual([303, 422])
  expect(await status(paymentId)).toBe('paid')
  expect((await ani.post(`${at(approval)}/grant`, {})).text).toContain('This was decided already.')
  expect((await davit.post(`${at(approval)}/refuse`, {})).status).toBe(422)
  expect(await stateOf(approval)).toBe('done')
})

test('nobody grants an own one, but may take it back', async () => {
  const { approval, paymentId } = await propose()
  const own = (await davit.get(at(approval))).text
  expect(own).not.toContain(`${approval}/grant`)
  const answer = await davit.post(`${at(approval)}/grant`, {})
  expect([answer.status, await status(paymentId)]).not.toContain('paid')
  expect(answer.text).toContain('You have proposed this yourself')
  expect(await stateOf(approval)).toBe('open')
  expect((await davit.post(`${at(approval)}/refuse`, {})).location).toBe(
    `/sandbox/approvals?done=refused&approval=${approval}`,
  )
  expect((await ani.post(`${at(approval)}/grant`, {})).status).toBe(422)
  expect(await status(paymentId)).not.toBe('paid')
})

test('what has expired, or whose payment has moved on, says so and is not done', async () => {
  const [late, moved] = [await propose(), await propose()]
  await kassa.ctx.db.query(`update kassa.proposals set expires_at = $2 where id = $1`, [
    late.approval,
    new Date(Date.now() - 1000),
  ])
  expect((await ani.get(at(late.approval))).text).toContain('It has expired.')
  expect((await ani.post(`${at(late.approval)}/grant`, {})).text).toContain('It has expired.')
  const { merchantId } = shop
  await applyStatus(
    kassa.ctx,
    { merchantId, id: moved.paymentId },
    { to: 'status_unknown', cause: 'provider' },
  )
  expect((await ani.get(at(moved.approval))).text).toContain('The payment has changed since')
  expect((await ani.post(`${at(moved.approval)}/grant`, {})).status).toBe(422)
  expect(await status(moved.paymentId)).toBe('status_unknown')
})

test('another shop sees none, and a viewer grants none', async () => {
  const { approval } = await propose()
  expect((await viewer.get('/sandbox/approvals?all=yes')).text).not.toContain(approval)
  expect((await viewer.get(at(approval))).status).toBe(404)
  expect((await viewer.post(`${at(approval)}/grant`, {})).status).toBe(403)
  for (const id of ['apr_1', 'x'.repeat(2000), 'constructor', `${approval}'`])
    expect((await ani.post(`${at(id)}/grant`, {})).status).toBe(404)
  expect(await stateOf(approval)).toBe('open')
})

test('a grant that was not proved leaves no word of a grant in the log', async () => {
  const { approval, paymentId } = await propose()
  const bare = await openAs(kassa.ctx, desk, { role: 'operator', name: 'Bare', email: 'bare@pay.example' })
  await forgetProofs(kassa.ctx, bare.id)
  const answer = await bare.browser.post(`${at(approval)}/grant`, {})
  expect([answer.status, answer.text.includes('class="again"')]).toEqual([422, true])
  const rows = await readAuditChain(kassa.ctx.db, 0, 10_000)
  expect(rows.filter(({ who }) => who === 'Bare')).toEqual([])
  await ani.post(`${at(approval)}/grant`, {})
  expect(await status(paymentId)).toBe('paid')
})

test('what its proposer may not do any more is not granted', async () => {
  const { merchantId: other } = await openShop(kassa.ctx)
  const values = { role: 'shop' as const, name: 'Owner', email: 'owner@shop.example' }
  const { id } = await openAs(kassa.ctx, desk, { ...values, merchantId: shop.merchantId })
  const changes = [{ merchantId: other }, { refundLimits: { USD: 1_899 } }, { role: 'viewer' as const }]
  const less = { amountMinor: 100, accepts: true }
  for (const [change, more] of [
    ...changes.map((each) => [each, {}] as const),
    [changes[1] ?? {}, less] as const,
  ]) {
    const back = { role: 'shop' as const, merchantId: shop.merchantId, refundLimits: { USD: 1_900 } }
    await changeUser(kassa.ctx, id, back)
    const { approval, paymentId } = await propose({ id, name: 'Owner', role: 'shop' }, more)
    await changeUser(kassa.ctx, id, change)
    const before = await status(paymentId)
    expect((await ani.post(`${at(approval)}/grant`, {})).status).toBe(422)
    expect([await status(paymentId), await stateOf(approval)]).toEqual([before, 'refused'])
  }
  await changeUser(kassa.ctx, id, { role: 'shop', merchantId: shop.merchantId, refundLimits: { USD: 1_900 } })
  const { approval, paymentId } = await propose({ id, name: 'Owner', role: 'shop' })
  await ani.post(`${at(approval)}/grant`, {})
  expect(await status(paymentId)).toBe('paid')
})
