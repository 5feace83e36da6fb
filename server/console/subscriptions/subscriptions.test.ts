/** The subscriptions of a shop in the console: finding one, reading what becomes of it, and ending it once. */
import { expect, test } from 'vitest'
import { readAuditChain } from '../../storage/audit/log.ts'
import { openShop } from '../../testing/harness.ts'
import {
  createSubscription,
  openToken,
  subscriptionRequest,
  sweep,
} from '../../testing/payments/subscriptions.ts'
import { openConsole } from '../../testing/scene/console.ts'

const { kassa, shop, signIn } = await openConsole()
const { merchantId } = shop
const colleague = await signIn('administrator')
const owner = await signIn('shop')
const viewer = await signIn('viewer', { merchantId })

const list = () => `/sandbox/shops/${shop.merchantId}/subscriptions`
async function subscribe(order: string, changes: object = {}, of = shop): Promise<string> {
  const customer = { name: 'Ani Sahakyan', email: 'ani@buyer.example' }
  const tokenId = await openToken(kassa.url, of, 'saved', { customer })
  const body = subscriptionRequest(tokenId, { merchantSubscriptionId: order, ...changes })
  return (await createSubscription(kassa.url, of, { body })).body.subscription.id
}
const lockRow = (id: string, status: string, reason: string) =>
  kassa.ctx.db.query(
    `update sandbox.subscriptions set status = $2, cancel_reason = $3, cancelled_at = updated_at, next_charge_at = null where id = $1`,
    [id, status, reason],
  )

test('shows what was charged, what comes next and whose it is, and no more of the card than four digits', async () => {
  const id = await subscribe('tea-1')
  const before = await owner.get(`${list()}/${id}`)
  expect(before.text).toContain('Nothing was paid yet. $19.00 is charged on')
  await sweep(kassa)
  const { text } = await owner.get(`${list()}/${id}`)
  expect(text).toMatch(/\$19\.00 a month\. \$19\.00 is charged next on \w/)
  expect(text).toContain('Ani Sahakyan')
  expect(text).toMatch(/···· \d{4}</)
  const { rows } = await kassa.ctx.db.query(
    `select m.provider_reference as reference, m.id, c.payment_id as "paymentId" from sandbox.saved_methods m
     join sandbox.subscriptions s on s.saved_method_id = m.id
     join sandbox.subscription_charges c on c.subscription_id = s.id where s.id = $1`,
    [id],
  )
  expect(text).toContain(`/sandbox/payments/${rows[0].paymentId}"`)
  for (const secret of [rows[0].reference, rows[0].id]) expect(text).not.toContain(secret)
  for (const locale of ['ru', 'hy']) {
    const { text: own } = await owner.get(`${list()}/${id}`, { 'accept-language': locale })
    expect(own).not.toMatch(/is charged|\{\w+\}|undefined/)
  }
})

test('lists by state, page by page, and says why each has ended', { tags: ['long'] }, async () => {
  const ids: string[] = []
  for (let at = 0; at < 26; at++) ids.push(await subscribe(`many-${at}`))
  const reasons = ['requested', 'retries_exhausted', 'hard_decline', 'token_revoked']
  const words = ['it was cancelled', 'every new try', 'declined for good', 'saved card is not valid']
  for (const [at, reason] of reasons.entries()) {
    await lockRow(ids[at] ?? '', 'cancelled', reason)
    expect((await owner.get(`${list()}/${ids[at]}`)).text).toContain(words[at])
  }
  const links = (text: string) =>
    [...text.matchAll(/subscriptions\/(sub_\w+)" class="row"/g)].map(([, id]) => id)
  const first = await owner.get(list())
  expect(links(first.text)).toHaveLength(25)
  const [, more = ''] = /href="([^"]+after=[^"]+)"/.exec(first.text) ?? []
  const second = await owner.get(more.replaceAll('&amp;', '&'))
  expect([...links(first.text), ...links(second.text)].slice(0, ids.length)).toEqual(ids.toReversed())
  expect(links((await owner.get(`${list()}?status=cancelled`)).text)).toEqual(ids.slice(0, 4).reverse())
  expect((await owner.get(`${list()}?status=past_due`)).text).toContain('No subscription has this status')
})
test('is ended once by two at once, with the name in the log, and by nobody who may not', async () => {
  const id = await subscribe('box-9')
  const address = `${list()}/${id}`
  expect((await viewer.get(address)).text).not.toContain(`${address}/cancel`)
  expect((await viewer.post(`${address}/cancel`, {})).status).toBe(403)
  const other = await openShop(kassa.ctx)
  const foreign = await subscribe('theirs', {}, other)
  for (const path of [`${list()}/${foreign}/cancel`, `${list()}?after=${foreign}`])
    expect([path, (await owner.get(path)).status]).toEqual([path, 404])
  expect((await owner.post(`${list()}/${foreign}/cancel`, {})).status).toBe(404)
  expect((await owner.get(`${address}/cancel`)).text).toContain('It ends at once')
  const both = await Promise.all([
    owner.post(`${address}/cancel`, {}),
    colleague.post(`${address}/cancel`, {}),
  ])
  expect(both.map(({ location }) => location)).toEqual([
    `${address}?done=cancelled`,
    `${address}?done=cancelled`,
  ])
  const { text } = await owner.get(`${address}?done=cancelled`)
  expect(text).toContain('The subscription has ended.')
  expect(text).not.toContain(`${address}/cancel`)
  expect((await owner.get(`${address}/cancel`)).location).toBe(address)
  const { rows: made } = await kassa.ctx.db.query(
    `select id from sandbox.operations where type = 'subscription_cancel' and subscription_id = $1`,
    [id],
  )
  expect(made).toHaveLength(1)
  const rows = (await readAuditChain(kassa.ctx.db, 0, 1_000)).filter(
    ({ what }) => what === 'subscription cancel',
  )
  // Whoever came second may have changed nothing. The log then names the subscription for that one.
  expect(rows.map(({ about, who }) => [about, who])).toContainEqual([
    `operation_changes ${made[0].id} ${id}`,
    expect.stringMatching(/^A (shop|administrator)$/),
  ])
  const { rows: running } = await kassa.ctx.db.query(
    `select id from sandbox.subscriptions where id = $1 and status <> 'cancelled'`,
    [foreign],
  )
  expect(running).toHaveLength(1)
})
