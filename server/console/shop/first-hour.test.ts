/** The first hour of a shop in the console: from the invitation to a link that is handed on. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { issueToken } from '../../merchants/api-key.ts'
import { listInstallations } from '../../merchants/installation.ts'
import { createMerchant } from '../../operator/create-merchant.ts'
import { createSession, payAtBank } from '../../testing/calls.ts'
import { type Desk, openAs, startDesk, type TestBrowser } from '../../testing/console.ts'
import { type Kassa, type Shop, startKassa } from '../../testing/harness.ts'

let kassa: Kassa
let desk: Desk
let merchantId: string
let owner: TestBrowser
let cashier: TestBrowser
beforeAll(async () => {
  kassa = await startKassa()
  desk = await startDesk(kassa.worlds)
  ;({ merchantId } = await createMerchant(kassa.ctx, { name: 'Potter' }))
  await openAs(kassa.ctx, desk, { role: 'administrator', email: 'root@shop.example' })
  ;({ browser: owner } = await openAs(kassa.ctx, desk, {
    role: 'shop',
    email: 'owner@shop.example',
    merchantId,
  }))
  ;({ browser: cashier } = await openAs(kassa.ctx, desk, {
    role: 'cashier',
    email: 'till@shop.example',
    merchantId,
  }))
})
afterAll(async () => {
  await desk.close()
  await kassa.close()
})

const at = (end: string) => `/sandbox/shops/${merchantId}${end}`

test('the open steps are the first screen, until there is a product and somebody has bought one', async () => {
  expect((await owner.get('/')).location).toBe(at('/live'))
  expect((await cashier.get('/')).location).toBe('/sandbox/counter')
  const form = { name: 'Bowl', price: '1900', currency: 'AMD' }
  const added = await owner.postFiles(at('/add-product'), form)
  expect(added.location).toBe(at('/share?product=bowl&done=added'))

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
  await createSession(kassa.url, { token } as Shop, { key: 'by-program' })
  expect((await browser.get('/')).location).toBe('/sandbox/today')
})

test('a cashier makes no place to sell', async () => {
  const answer = await cashier.post(at('/share/place'), { address: 'other.example', product: 'bowl' })
  expect(answer.status).toBe(403)
  expect(await listInstallations(kassa.ctx, merchantId)).toHaveLength(1)
})
