/**
 * The way to real money in the console: the owner's steps by the owner, and the rest by an operator. Afterwards another public name needs
 * somebody else.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { addUser } from '../../access/users.ts'
import { addOperator, type Person } from '../../audit/people.ts'
import { getBranding } from '../../merchants/branding.ts'
import { getMerchant } from '../../merchants/merchant.ts'
import { getOnboarding } from '../../merchants/onboarding.ts'
import { approveOrigin } from '../../merchants/origin.ts'
import { listProducts } from '../../merchants/product.ts'
import { listApprovals } from '../../operator/approvals/listing.ts'
import { setCallback } from '../../receivers/receiver.ts'
import { storeLimit } from '../../storage/audit/proposals.ts'
import { upsertEvidence } from '../../storage/merchants/onboarding.ts'
import { createSession, sessionRequest } from '../../testing/calls.ts'
import { forgetProofs, openAs, startDesk, type TestBrowser, withPasskey } from '../../testing/console.ts'
import { openShop, SHOP_ORIGIN, type Shop } from '../../testing/harness.ts'
import { openLive } from '../../testing/scene/live.ts'
import { grantAs } from '../../testing/scene/people.ts'
import { closeAfter } from '../../testing/scene.ts'

const kassa = await openLive()
const desk = closeAfter(await startDesk(kassa.worlds))

test('an owner and an operator take a shop to real money, each with their own steps', async () => {
  const shop = await openShop(kassa.ctx)
  const { merchantId } = shop
  const { browser: operator, id: operatorId } = await openAs(kassa.live, desk, {
    role: 'administrator',
    email: 'ani@pay.example',
    merchantId: null,
  })
  const owner = (await openAs(kassa.live, desk, { role: 'shop', email: 'first@shop.example', merchantId }))
    .browser
  const at = (end: string) => `/live/shops/${merchantId}/${end}`
  const confirm = { confirm: 'yes' }
  const open = async () => (await owner.get(at('live'))).text.match(/data-done="no"/g)?.length

  expect(await open()).toBe(5)
  expect((await owner.post(at('domains/use'), { address: SHOP_ORIGIN })).status).toBe(422)
  const early = await operator.post(at('live/copy'), confirm)
  expect([early.status, early.text.includes('not ready for real money')]).toEqual([422, true])

  await owner.post(at('domains/ask'), { address: SHOP_ORIGIN })
  expect((await owner.get(at('live'))).text).toContain('Whoever runs this service does this')
  expect((await operator.post(at('domains/approve'), { address: SHOP_ORIGIN })).status).toBe(303)

  expect((await owner.post(at('live/book'), confirm)).location).toBe(at('live?done=bookChosen'))
  expect((await getMerchant(kassa.live, merchantId)).callbackUrl).toBe('kassa:order-book')
  // Else nothing would get the news of the test purchase, and its step could never be done.
  expect((await getMerchant(kassa.ctx, merchantId)).callbackUrl).toBe('kassa:order-book')

  expect((await owner.post(at('live/seen'), confirm)).location).toBe(at('live?done=testMissing'))
  const { body } = await createSession(kassa.url, shop, { key: 'test', body: sessionRequest() })
  const seen = { step: 'test_payment', evidence: body.id, recordedAt: kassa.clock.now() } as const
  await upsertEvidence(kassa.live.db, merchantId, seen)
  expect((await owner.post(at('live/seen'), {})).status).toBe(200)
  expect((await getOnboarding(kassa.live, merchantId)).complete).toBe(false)
  expect((await owner.post(at('live/seen'), confirm)).location).toBe(at('live?done=testSeen'))
  expect((await getOnboarding(kassa.live, merchantId)).complete).toBe(true)

  expect((await owner.post(at('live/copy'), confirm)).status).toBe(403)
  await forgetProofs(kassa.live, operatorId)
  const bare = await operator.post(at('live/copy'), confirm)
  expect([bare.status, bare.text.includes('class="again"')]).toEqual([422, true])
  expect(await listProducts(kassa.live, merchantId)).toEqual([])
  const proven = await withPasskey(kassa.live, desk, { browser: operator, id: operatorId })
  for (const _ of [1, 2])
    expect((await proven.post(at('live/copy'), confirm)).location).toBe(at('live?done=copied'))
  expect(await listProducts(kassa.live, merchantId)).toHaveLength(2)
  // Only a contact for buyers is left, and who is told about orders.
  expect(await open()).toBe(2)

  const withProgram = await openShop(kassa.ctx, { callbackUrl: `${kassa.url}/callback` })
  await operator.post(`/live/shops/${withProgram.merchantId}/live/book`, confirm)
  expect((await getMerchant(kassa.live, withProgram.merchantId)).callbackUrl).toBe('kassa:order-book')
  expect((await getMerchant(kassa.ctx, withProgram.merchantId)).callbackUrl).toBe(`${kassa.url}/callback`)
})

test('where sums need two, the order book asks for the second factor, and replaces nothing that was set meanwhile', async () => {
  const { merchantId } = await openShop(kassa.ctx)
  const { operator: ani } = await addUser(kassa.live, { name: 'Ani', role: 'administrator' })
  const values = { role: 'shop', name: 'Careful', email: 'careful@shop.example', merchantId } as const
  const opened = await openAs(kassa.live, desk, values)
  await storeLimit(kassa.live.db, 'USD', 500)
  const path = `/live/shops/${merchantId}/live/book`
  await forgetProofs(kassa.live, opened.id)
  const bare = await opened.browser.post(path, { confirm: 'yes' })
  expect([bare.status, bare.text.includes('class="again"')]).toEqual([422, true])
  expect(await listApprovals(kassa.live, { all: true })).toEqual([])
  const owner = await withPasskey(kassa.live, desk, opened)
  expect((await owner.post(path, { confirm: 'yes' })).location).toContain('done=bookProposed')
  const url = 'https://shop.example/events'
  await setCallback(kassa.live, merchantId, url)
  const [proposal] = await listApprovals(kassa.live, { all: true })
  await expect(grantAs(kassa.live, ani, proposal?.id ?? '')).rejects.toMatchObject({
    details: { reason: 'callback_is_set' },
  })
  expect((await getMerchant(kassa.live, merchantId)).callbackUrl).toBe(url)
  await storeLimit(kassa.live.db, 'USD', null)
})

test('an owner without an account is led to the bank account, and sees that it waits for an operator', async () => {
  await openShop(kassa.ctx)
  const { merchantId } = await openShop(kassa.ctx)
  const root = await openAs(kassa.live, desk, {
    name: 'Root',
    role: 'administrator',
    email: 'root@pay.example',
  })
  const operator = await withPasskey(kassa.live, desk, root)
  const person = { role: 'shop', name: 'Potter', email: 'potter@shop.example', merchantId } as const
  const owner = await withPasskey(kassa.live, desk, await openAs(kassa.live, desk, person))
  const [live, bank] = [`/live/shops/${merchantId}/live`, `/live/shops/${merchantId}/bank`]
  const given = { currency: 'EUR', recipient: 'Potter', account: 'DE89370400440532013000', days: '7' }
  const step = async () => {
    const { text } = await owner.get(live)
    return text.split('<li class="step"').find((each) => each.includes('Where the money goes')) ?? ''
  }
  expect(await step()).toContain(`href="${bank}"`)
  expect(await step()).not.toContain('Whoever runs this service does this')
  expect((await owner.post(bank, given)).location).toBe(`${bank}?done=bankAsked`)
  expect(await step()).toContain('Whoever runs this service does this')
  const waiting = () =>
    kassa.live.db.query("select id from kassa.proposals where what = 'account ask' and state = 'open'")
  const why = 'Another name'
  await operator.post(`/live/approvals/${(await waiting()).rows[0].id}/refuse`, { why })
  expect(await step()).toMatch(/Refused on [^<]*\. Why: <bdi>Another name<.bdi> Nothing has changed/)
  expect(await step()).not.toContain('Whoever runs this service does this')
  await owner.post(bank, { ...given, recipient: 'The potter' })
  expect(await step()).not.toContain('Refused on')
  const { rows } = await waiting()
  await operator.post(`/live/approvals/${rows[0].id}/grant`, {})
  await expect.poll(step).toContain('data-done="yes"')
})

describe('the public name of a shop that takes real money', () => {
  let shop: Shop
  let owner: TestBrowser
  let operator: TestBrowser
  let mane: Person
  beforeAll(async () => {
    shop = await openShop(kassa.ctx)
    mane = (await addOperator(kassa.live, { name: 'Mane', role: 'administrator' })).operator
    const person = { role: 'shop', name: 'Owner', email: 'owner@shop.example' } as const
    owner = (await openAs(kassa.live, desk, { ...person, merchantId: shop.merchantId })).browser
    const colleague = { role: 'administrator', name: 'Gor', email: 'gor@pay.example' } as const
    operator = (await openAs(kassa.live, desk, colleague)).browser
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
})
