/** A shop that takes real money asks for another public name, and buyers read it once somebody else has approved it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addOperator, type Person } from '../../audit/people.ts'
import { getBranding } from '../../merchants/branding.ts'
import { approveOrigin } from '../../merchants/origin.ts'
import { listApprovals } from '../../operator/approvals/listing.ts'
import { type Desk, openAs, startDesk, type TestBrowser } from '../../testing/console.ts'
import { type Kassa, openShop, SHOP_ORIGIN, type Shop } from '../../testing/harness.ts'
import { grantAs } from '../../testing/second-person.ts'
import { startLive } from '../../testing/two-worlds.ts'

let kassa: Kassa
let desk: Desk
let shop: Shop
let owner: TestBrowser
let operator: TestBrowser
let mane: Person
beforeAll(async () => {
  kassa = await startLive()
  desk = await startDesk(kassa.worlds)
  shop = await openShop(kassa.ctx)
  const { merchantId } = shop
  mane = (await addOperator(kassa.live, { name: 'Mane', role: 'administrator' })).operator
  owner = (await openAs(kassa.live, desk, { role: 'shop', email: 'shop@shop.example', merchantId })).browser
  operator = (
    await openAs(kassa.live, desk, { role: 'administrator', email: 'ani@pay.example', merchantId: null })
  ).browser
})
afterAll(async () => {
  await desk.close()
  await kassa.close()
})

const grant = (id = '') => grantAs(kassa.live, mane, id)
const at = (world = 'live') => `/${world}/shops/${shop.merchantId}/brand`
const shown = async () => {
  const { name, branding } = await getBranding(kassa.ctx, shop.merchantId)
  return [branding.name ?? name, branding.names?.ru, branding.phone]
}
const waiting = async () =>
  (await listApprovals(kassa.live, { all: false }))
    .filter(({ what }) => what === 'name ask')
    .map(({ id, about }) => ({ id, about }))

/** Saves the form of the brand with these fields. Returns where it leads. */
async function save(browser: TestBrowser, fields: Record<string, string>, world = 'live') {
  const [, seen = ''] = /name="seen" value="([^"]*)"/.exec((await browser.get(at(world))).text) ?? []
  return (await browser.postFiles(at(world), { seen, name: 'Tea', ...fields })).location
}

test('before its site is reviewed a shop names itself', async () => {
  expect(await save(owner, { name: 'Tea house' })).toBe(`${at()}?done=changed`)
  expect(await shown()).toEqual(['Tea house', undefined, undefined])
})

test('after that its own people only ask, in either world and language, and the rest is stored at once', async () => {
  await approveOrigin(kassa.live, shop.merchantId, SHOP_ORIGIN)
  const phone = '+374 10 123456'
  expect(await save(owner, { name: 'Central bank', phone })).toBe(`${at()}?done=nameAsked`)
  expect(await shown()).toEqual(['Tea house', undefined, phone])
  expect((await owner.get(at())).text).toContain('Central bank')
  const sandbox = await save(owner, { name: 'Tea house', phone, 'name-ru': 'Банк' }, 'sandbox')
  expect(sandbox).toBe(`${at('sandbox')}?done=nameAsked`)
  expect(await shown()).toEqual(['Tea house', undefined, phone])
  expect(await save(owner, { name: 'Tea house', phone: '+374 10 123457' })).toBe(`${at()}?done=changed`)
})

test('a later wish replaces the one that waits, and buyers read the name once it is approved', async () => {
  await save(owner, { name: 'House of tea', 'name-ru': 'Чайный дом', phone: '+374 10 123457' })
  const [only, ...others] = await waiting()
  expect([only?.about, others]).toEqual([`${shop.merchantId}: House of tea / Чайный дом`, []])
  expect((await operator.get(`/live/approvals/${only?.id}`)).text).toContain('Tea house')
  await grant(only?.id)
  expect(await shown()).toEqual(['House of tea', 'Чайный дом', '+374 10 123457'])
  expect((await owner.get(at())).text).not.toContain('waits until')
})

test('whoever runs the service changes it at once, and what a shop asked for before no longer counts', async () => {
  await save(owner, { name: 'Old wish', 'name-ru': 'Чайный дом', phone: '+374 10 123457' })
  const [wish] = await waiting()
  expect(await save(operator, { name: 'Tea & Co.', phone: '+374 10 123457' })).toBe(`${at()}?done=changed`)
  await expect(grant(wish?.id)).rejects.toThrow()
  expect((await shown())[0]).toBe('Tea & Co.')
})
