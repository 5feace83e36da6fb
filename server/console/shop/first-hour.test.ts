/** The first hour of a shop in the console: from the invitation to a link that is handed on. */
import { expect, test } from 'vitest'
import { issueToken } from '../../merchants/api-key.ts'
import { listInstallations } from '../../merchants/installation.ts'
import { listApprovals } from '../../operator/approvals/listing.ts'
import { createMerchant } from '../../operator/create-merchant.ts'
import { usesOrderBook } from '../../operator/orders/book.ts'
import { storeLimit } from '../../storage/audit/proposals.ts'
import { NEWS } from '../../storage/orders/orders.ts'
import { createSession, payAtBank } from '../../testing/calls.ts'
import { hiddenIn, openAs } from '../../testing/console.ts'
import type { Shop } from '../../testing/harness.ts'
import { openConsole } from '../../testing/scene/console.ts'

const { kassa, desk, signIn } = await openConsole()
const { merchantId } = await createMerchant(kassa.ctx, { name: 'Potter' })
await signIn('administrator')
const owner = await signIn('shop', { email: 'owner@shop.example', merchantId })
const cashier = await signIn('cashier', { merchantId })

const at = (end: string) => `/sandbox/shops/${merchantId}${end}`

test('the open steps are the first screen, until there is a product and somebody has bought one', async () => {
  expect((await owner.get('/')).location).toBe(at('/live'))
  expect((await cashier.get('/')).location).toBe('/sandbox/counter')
  const form = { name: 'Bowl', price: '1900', currency: 'AMD' }
  const added = await owner.postFiles(at('/add-product'), form)
  expect(added.location).toBe(at('/share?product=bowl&done=added'))

  // Nothing else could receive the orders of a new shop, and who is told about them is asked.
  expect(await usesOrderBook(kassa.ctx, merchantId)).toBe(true)
  expect((await owner.get(at('/live'))).text).toContain('Who is told of orders')
  expect((await owner.get(at('/notices'))).text).toContain('value="owner@shop.example"')

  // That nobody is told is an answer too, also in the language that is preset.
  const hidden = hiddenIn((await owner.get(at('/notices'))).text)
  const all = Object.fromEntries(NEWS.map((each) => [each, 'yes']))
  const nobody = { ...hidden, ...all, email: '', language: 'en', when: 'at_once' }
  expect((await owner.post(at('/notices'), nobody)).status).toBe(303)
  const done = /data-done="yes">\s*<h2>[^/]*<\/span> Who is told of orders/
  expect((await owner.get(at('/live'))).text).toMatch(done)

  const asking = await owner.get(added.location ?? '')
  expect(asking.text).toContain('Bowl is on sale')
  expect(asking.text).toContain(`action="${at('/share/place')}"`)
  const wrong = await owner.post(at('/share/place'), { address: 'my shop', product: 'bowl' })
  expect([wrong.status, wrong.text.includes('value="my shop"')]).toEqual([422, true])
  const place = { address: 'instagram.example/potter', product: 'bowl' }
  const both = await Promise.all([
    owner.post(at('/share/place'), place),
    owner.post(at('/share/place'), place),
  ])
  expect(both.map(({ location }) => location)).toEqual(Array(2).fill(at('/share?product=bowl')))
  expect(await listInstallations(kassa.ctx, merchantId)).toHaveLength(1)

  const { text } = await owner.get(both[0]?.location ?? '')
  const [, link = ''] = /class="pay-link"><a href="([^"]+)"/.exec(text) ?? []
  expect((await owner.get('/')).location).toBe(at('/live'))
  expect(link).toContain('/pay/')
  const { token } = await issueToken(kassa.ctx, { merchantId })
  const { body } = await createSession(kassa.url, { token } as Shop, { key: 'first' })
  await payAtBank(body.providerCheckoutUrl, 'paid')
  expect((await owner.get('/')).location).toBe('/sandbox/today')
})

test('a shop that sells by a program alone has no first hour once somebody buys', async () => {
  const other = await createMerchant(kassa.ctx, { name: 'By program' })
  const person = {
    name: 'Of a program',
    role: 'shop',
    email: 'program@shop.example',
    merchantId: other.merchantId,
  } as const
  const { browser } = await openAs(kassa.ctx, desk, person)
  expect((await browser.get('/')).location).toBe(`/sandbox/shops/${other.merchantId}/live`)
  const { token } = await issueToken(kassa.ctx, { merchantId: other.merchantId })
  const { body } = await createSession(kassa.url, { token } as Shop, { key: 'by-program' })
  expect((await browser.get('/')).location).toBe('/sandbox/today')
  // A shop that has sold is asked, and nothing is chosen for it.
  await payAtBank(body.providerCheckoutUrl, 'paid')
  const path = `/sandbox/shops/${other.merchantId}`
  await browser.postFiles(`${path}/add-product`, { name: 'Cup', price: '1900', currency: 'AMD' })
  expect(await usesOrderBook(kassa.ctx, other.merchantId)).toBe(false)
  expect((await browser.get(`${path}/live`)).text).toContain('Keep my orders here')
})

test('where sums need two, nothing is chosen and nothing is proposed for the owner', async () => {
  const { merchantId: id } = await createMerchant(kassa.ctx, { name: 'Careful' })
  const person = { name: 'Careful', role: 'shop', email: 'careful@shop.example', merchantId: id } as const
  const { browser } = await openAs(kassa.ctx, desk, person)
  await storeLimit(kassa.ctx.db, 'USD', 500)
  const form = { name: 'Bowl', price: '1900', currency: 'AMD' }
  await browser.postFiles(`/sandbox/shops/${id}/add-product`, form)
  expect(await usesOrderBook(kassa.ctx, id)).toBe(false)
  expect(await listApprovals(kassa.ctx, { all: true })).toEqual([])
  await storeLimit(kassa.ctx.db, 'USD', null)
})

test('a cashier makes no place to sell', async () => {
  const answer = await cashier.post(at('/share/place'), { address: 'other.example', product: 'bowl' })
  expect(answer.status).toBe(403)
  expect(await listInstallations(kassa.ctx, merchantId)).toHaveLength(1)
})
