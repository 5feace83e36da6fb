/** The people of the console, by request: who gets in, who is out at once, and that a stolen session alone lets nobody in. */
import { expect, test } from 'vitest'
import { listEverybody } from '../../access/users.ts'
import { storeLimit } from '../../storage/audit/proposals.ts'
import { inTransaction } from '../../storage/db.ts'
import { confirmPeople, confirmTokens } from '../../storage/restores/waiting.ts'
import { forgetProofs, hiddenIn, openAs, type TestBrowser, withPasskey } from '../../testing/console.ts'
import { openShop } from '../../testing/harness.ts'
import { openConsole } from '../../testing/scene/console.ts'

const PEOPLE = '/sandbox/users'
const { kassa, desk, shop, signInAs } = await openConsole()
const opened = await signInAs('administrator', { name: 'Root', email: 'root@pay.example' })
const rootId = opened.id
/** The same administrator, without and with the passkey. */
const thief = opened.browser
const root = await withPasskey(kassa.ctx, desk, opened)

const formFor = (name: string, role = 'shop') => ({
  name,
  role,
  email: `${name.toLowerCase()}@shop.example`,
  limits: '100.00 USD\r\n50 000 AMD',
  shop: role === 'administrator' ? '' : shop.merchantId,
})
const personNamed = async (name: string) =>
  (await listEverybody(kassa.ctx)).find(({ operator }) => operator.name === name && !operator.removedAt)
const pathOf = async (name: string) => `${PEOPLE}/${(await personNamed(name))?.operator.id}`
const linkIn = (text: string) => /<code class="secret">([^<]*\/link\/[\w-]+)</.exec(text)?.[1]
/** The form that the page shows, sent with these changes. */
async function send(browser: TestBrowser, path: string, changes: Record<string, string> = {}) {
  return browser.post(path, { ...hiddenIn((await browser.get(path)).text), ...changes })
}

test('an administrator adds a person, whose link is shown once', async () => {
  const forms: Record<string, string>[] = []
  const seen: TestBrowser = {
    ...thief,
    post(path, form, more) {
      forms.push(form)
      return thief.post(path, form, more)
    },
  }
  const again = await withPasskey(kassa.ctx, desk, { browser: seen, id: rootId })
  const { text, status } = await again.post(`${PEOPLE}/new`, formFor('Davit'))
  expect([status, linkIn(text)]).toEqual([200, expect.stringContaining('/link/')])
  expect((await thief.get(new URL(linkIn(text) ?? '').pathname)).text).toContain('Davit')
  expect(await personNamed('Davit')).toMatchObject({
    operator: { role: 'shop', hasKey: false },
    user: { merchantId: shop.merchantId, refundLimits: { USD: 10_000, AMD: 5_000_000 } },
  })
  // The same form and proof once more.
  const twice = await thief.post(`${PEOPLE}/new`, forms.at(-1) ?? {})
  expect([twice.status, linkIn(twice.text)]).toEqual([422, undefined])
  expect(linkIn((await root.get(await pathOf('Davit'))).text)).toBeUndefined()
})

test('a session without the second factor adds, changes, resets and removes nobody', async () => {
  await root.post(`${PEOPLE}/new`, formFor('Eva'))
  const before = await listEverybody(kassa.ctx)
  const eva = await pathOf('Eva')
  const raised = { role: 'administrator', shop: '', email: 'eva@shop.example', limits: '' }
  await forgetProofs(kassa.ctx, rootId)
  const tries = [
    await thief.post(`${PEOPLE}/new`, formFor('Mallory', 'administrator')),
    await send(thief, eva, raised),
    await send(thief, `${eva}/reset`),
    await send(thief, `${eva}/remove`),
  ]
  for (const { status, text } of tries) {
    expect([status, linkIn(text)]).toEqual([422, undefined])
    expect(text).toContain('data-again')
  }
  expect(await listEverybody(kassa.ctx)).toEqual(before)
})

test('no other role adds a person, or sees that there are any', async () => {
  for (const role of ['operator', 'viewer', 'shop'] as const) {
    const merchantId = role === 'shop' ? shop.merchantId : null
    const other = await openAs(kassa.ctx, desk, { role, email: `${role}@pay.example`, merchantId })
    const browser = await withPasskey(kassa.ctx, desk, other)
    const forbidden = [
      await browser.get(PEOPLE),
      await browser.post(`${PEOPLE}/new`, formFor(`By${role}`, 'administrator')),
      await browser.post(await pathOf('Root'), { role: 'viewer' }),
    ]
    expect(forbidden.map(({ status }) => status)).toEqual([403, 403, 403])
    expect(await personNamed(`By${role}`)).toBeUndefined()
  }
})

test('a new role counts at the next click, and whoever is reset or removed is out at once', async () => {
  const { browser, id } = await openAs(kassa.ctx, desk, {
    name: 'Hayk',
    role: 'operator',
    email: 'hayk@pay.example',
  })
  const path = `${PEOPLE}/${id}`
  const old = hiddenIn((await root.get(path)).text)
  const values = { role: 'viewer', shop: '', email: 'hayk@pay.example', limits: '' }
  expect((await send(root, path, values)).location).toBe(`${path}?done=changed`)
  expect((await browser.get(`/sandbox/shops/${shop.merchantId}/add-product`)).status).toBe(403)
  // Somebody else's form of before the change.
  const late = await root.post(path, { ...old, ...values, role: 'operator' })
  expect([late.status, (await personNamed('Hayk'))?.operator.role]).toEqual([422, 'viewer'])
  const reset = await send(root, `${path}/reset`)
  expect(linkIn(reset.text)).toContain('/link/')
  expect((await browser.get('/sandbox/today')).location).toMatch(/^\/sign-in/)

  const next = await openAs(kassa.ctx, desk, { name: 'Ivan', role: 'operator', email: 'ivan@pay.example' })
  expect((await next.browser.get('/sandbox/today')).status).toBe(200)
  expect((await send(root, `${PEOPLE}/${next.id}/remove`)).location).toBe(`${PEOPLE}?done=removed`)
  expect((await next.browser.get('/sandbox/today')).location).toMatch(/^\/sign-in/)
  expect((await root.get(`${PEOPLE}/${next.id}`)).status).toBe(404)
})

test('the last administrator can neither step down nor go', async () => {
  const path = `${PEOPLE}/${rootId}`
  const values = { role: 'viewer', shop: '', email: 'root@pay.example', limits: '' }
  for (const answer of [await send(root, path, values), await send(root, `${path}/remove`)]) {
    expect(answer.status).toBe(422)
    expect(answer.text).toContain('Then nobody would be administrator')
  }
  expect((await personNamed('Root'))?.operator.role).toBe('administrator')
  expect((await root.get(PEOPLE)).status).toBe(200)
})

test('while large sums need two, so does a new link, and neither of the two sees a whole one', async () => {
  const other = await openAs(kassa.ctx, desk, { name: 'Zara', role: 'operator', email: 'zara@pay.example' })
  const zara = await withPasskey(kassa.ctx, desk, other)
  const { id, browser } = await openAs(kassa.ctx, desk, {
    name: 'Levon',
    role: 'operator',
    email: 'levon@pay.example',
  })
  await storeLimit(kassa.ctx.db, 'USD', 500)
  const answer = await send(root, `${PEOPLE}/${id}/reset`)
  expect([answer.status, answer.text.includes('second person')]).toEqual([200, true])
  expect((await browser.get('/sandbox/today')).status).toBe(200)
  const approval = /approvals\/apr_\w+/.exec((await zara.get('/sandbox/approvals')).text)?.[0]
  const granted = await zara.post(`/sandbox/${approval}/grant`, {})
  expect(granted.text).toContain('second half')
  const [, end = ''] = /<code class="secret">([^<]*)</.exec(granted.text) ?? []
  const path = new URL(linkIn(answer.text) ?? '').pathname
  expect([(await root.get(path)).status, (await root.get(`/link/${end}`)).status]).toEqual([404, 404])
  expect((await thief.get(path + end)).text).toContain('Levon')
  expect((await browser.get('/sandbox/today')).location).toMatch(/^\/sign-in/)
  await storeLimit(kassa.ctx.db, 'USD', null)
})

test('after a restore the console names who waits, and marks each token, until they are confirmed', async () => {
  const { db } = kassa.ctx
  const other = await openShop(kassa.ctx)
  const settings = `/sandbox/shops/${shop.merchantId}/settings`
  const [people, tokens] = ['may not sign in until', 'waits after a restore']
  expect((await thief.get(PEOPLE)).text).not.toContain(people)
  expect((await thief.get(settings)).text).not.toContain(tokens)
  await db.query("update kassa.operators set waits_since = now() where name = 'Davit'")
  await db.query('update sandbox.api_keys set waits_since = now() where merchant_id = $1', [shop.merchantId])
  await db.query('update sandbox.api_keys set listed_since = now() where merchant_id = $1', [
    other.merchantId,
  ])
  const notice = (await thief.get(PEOPLE)).text
  expect(notice).toContain(`${people} whoever runs this service has confirmed them: Davit.`)
  expect(notice).toContain('wait: 1. Tokens that work and that nobody has looked at: 1.')
  expect((await thief.get(settings)).text).toContain(tokens)
  expect((await thief.get(settings.replace(shop.merchantId, other.merchantId))).text).toContain(
    'not looked at since a restore',
  )
  await inTransaction(db, async (tx) => [await confirmPeople(tx, null), await confirmTokens(tx, null)])
  expect((await thief.get(PEOPLE)).text).not.toContain(people)
  expect((await thief.get(settings)).text).not.toContain(tokens)
})
