/** One person's forms and requests are bounded, whoever the person is, and hold up nobody else. */
import { type ClientRequest, request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { enterAsPerson } from '../http/pages/person-work.ts'
import { type Desk, openAs, startDesk, type TestBrowser } from '../testing/console.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../testing/harness.ts'
import { CONSOLE_PAGES } from './pages.ts'

const RATE = 100
const BORDER = '----WebKitFormBoundary7MA4YWxkTrZu0gW'
let kassa: Kassa
let desk: Desk
let shop: Shop
beforeAll(async () => {
  kassa = await startKassa({
    settings: { RATE_LIMITS: `page=1000:1000,person=0.001:${RATE},person_files=0.001:${RATE}` },
  })
  const { buckets } = kassa.ctx
  kassa.ctx.buckets = {
    ...buckets,
    take(key, ...given) {
      if (key.startsWith('person_files ')) formsCounted++
      return buckets.take(key, ...given)
    },
  }
  desk = await startDesk(kassa.worlds)
  shop = await openShop(kassa.ctx)
  await openAs(kassa.ctx, desk, { role: 'administrator', email: 'root@pay.example' })
})
afterAll(async () => {
  await desk.close()
  await kassa.close()
})

/** How many forms with files have come in. */
let formsCounted = 0
let people = 0
const signIn = async () =>
  (
    await openAs(kassa.ctx, desk, {
      name: `Person ${++people}`,
      role: 'shop',
      email: `p${people}@shop.example`,
      merchantId: shop.merchantId,
    })
  ).browser
const path = () => `/sandbox/shops/${shop.merchantId}/brand`
const SOON = { timeout: 60_000, interval: 200 }

/** Begins to send a form with a file, and waits until the service has let it in. */
async function beginForm(browser: TestBrowser): Promise<ClientRequest> {
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const sent = request(new URL(path(), desk.origin), {
    method: 'POST',
    headers: {
      cookie,
      origin: desk.origin,
      'sec-fetch-site': 'same-origin',
      'content-type': `multipart/form-data; boundary=${BORDER}`,
      'content-length': '1000',
    },
  })
  sent.on('error', () => {})
  const before = formsCounted
  sent.write(`--${BORDER}\r\n`)
  await expect.poll(() => formsCounted, SOON).toBe(before + 1)
  return sent
}
const sendForm = (browser: TestBrowser) => browser.postFiles(path(), { name: 'Tea' })

test('a person sends two forms with files at once, everybody four, and the next one is told when to come back', async () => {
  const [one, two, three] = [await signIn(), await signIn(), await signIn()]
  const own = [await beginForm(one), await beginForm(one)]
  expect((await sendForm(one)).status).toBe(429)
  const others = [await beginForm(two), await beginForm(two)]
  const refused = await three.postFiles(path(), { name: 'Tea' }, { 'accept-language': 'ru' })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '2'])
  expect(refused.text).toContain('Подождите 2 секунд')
  // Pages without a file go on.
  expect((await one.get('/sandbox/today')).status).toBe(200)
  for (const sent of [...own, ...others]) sent.destroy()
  await expect.poll(async () => (await sendForm(three)).status, SOON).not.toBe(429)
})

test('a person has two pages at once that read much, and everybody four', async () => {
  const { browser, id } = await openAs(kassa.ctx, desk, {
    role: 'administrator',
    email: 'heavy@pay.example',
    name: 'Reader of totals',
  })
  const begin = (person: string) => enterAsPerson(kassa.ctx, person, { isHeavy: true })
  const leaves = [await begin(id), await begin(id)]
  const heavy = CONSOLE_PAGES.filter((page) => page.isHeavy)
  expect(heavy.map(({ path }) => path).toSorted()).toEqual([
    '/:world/audit/verify',
    '/:world/payments.csv',
    '/:world/shops/:merchant/totals',
    '/:world/totals',
  ])
  for (const { path: page, method } of heavy) {
    const address = page.replace(':world', 'sandbox').replace(':merchant', shop.merchantId)
    const { status } = method === 'get' ? await browser.get(address) : await browser.post(address, {})
    expect([page, status]).toEqual([page, 429])
  }
  expect((await browser.get('/sandbox/today')).status).toBe(200)
  leaves.push(await begin('one'), await begin('two'))
  await expect(begin('three')).rejects.toMatchObject({ code: 'rate_limited' })
  for (const leave of leaves) leave()
  expect((await browser.get('/sandbox/payments.csv')).status).toBe(200)
  ;(await begin('three'))()
})

test('a person’s requests are counted, at every page, and another person is not concerned', async () => {
  const [one, two] = [await signIn(), await signIn()]
  for (let sent = 0; sent < RATE; sent++) expect((await one.get('/sandbox/today')).status).toBe(200)
  for (const address of ['/sandbox/today', '/sandbox/payments', '/sandbox/payments.csv'])
    expect((await one.get(address)).status).toBe(429)
  expect((await two.get('/sandbox/today')).status).toBe(200)
})

test('forms of many parts are refused, with and without files', async () => {
  const person = await signIn()
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`part${index}`, '1']))
  expect((await person.postFiles(path(), many)).status).toBe(413)
  expect((await person.post('/sandbox/my-sign-in/codes', many)).status).toBe(413)
  expect((await person.post('/sign-in', many)).status).toBe(413)
})
