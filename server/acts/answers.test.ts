/** What acts answer beyond what the tests of every row look at: where they were done before, and where they refuse. */
import { expect, test } from 'vitest'
import { openSession } from '../access/sessions.ts'
import { addUser } from '../access/users.ts'
import { listProducts } from '../merchants/product.ts'
import { doOrPropose } from '../operator/approvals/approvals.ts'
import { storeLimit } from '../storage/audit/proposals.ts'
import { inTransaction } from '../storage/db.ts'
import { openScene } from '../testing/acts/scene.ts'
import { addPhone, hiddenIn, openBrowser, showing } from '../testing/console.ts'
import { operateHere } from '../testing/operator.ts'
import { openConsole } from '../testing/scene/console.ts'

const { kassa, desk } = await openConsole({
  settings: { RATE_LIMITS: 'page=5000:5000,person=5000:5000' },
})
const made = await addUser(kassa.ctx, {
  name: 'Ani',
  role: 'administrator',
  email: 'ani@pay.example',
})
const root = { id: made.operator.id, name: 'Ani', role: 'administrator' }
const key = made.key ?? ''
const visitor = openBrowser(desk)
const session = await inTransaction(kassa.ctx.db, (tx) => openSession(tx, made.operator.id, '127.0.0.1'))
visitor.cookies.set('kassa_console_session', session)
const browser = showing(visitor, await addPhone(kassa.ctx, desk, made.operator.id), desk)

const run = async (...words: string[]) => {
  const { code, stdout, stderr } = await operateHere(async () => kassa.ctx, words, { key })
  return { code, text: stdout + stderr }
}
const setLimit = (limitMinor: number | null) => storeLimit(kassa.ctx.db, 'USD', limitMinor)

test('a dry run of what was done before says that it was', async () => {
  const scene = await openScene(kassa)
  const id = await scene.byHand()
  const confirm = ['payment', 'confirm', '--payment', id, '--reference', 'Q1']
  expect((await run(...confirm, '--dry-run')).text).not.toContain('already confirmed')
  await run(...confirm)
  expect((await run(...confirm, '--dry-run')).text).toContain('already confirmed with this reference')
  const paid = await scene.paid()
  const refund = ['payment', 'refund', '--payment', paid, '--amount', '5.00', '--why', 'a crack']
  expect((await run(...refund, '--dry-run')).text).not.toContain('asked for before')
  await run(...refund)
  expect((await run(...refund, '--dry-run')).text).toContain('asked for before, so nothing was done')
})

test('a void shows what it releases, also where a second person is needed', async () => {
  const scene = await openScene(kassa)
  const release = async (...more: string[]) =>
    (await run('payment', 'void', '--payment', await scene.held(), '--why', 'out of stock', ...more)).text
  expect(await release('--dry-run')).toMatch(/Amount +\$?19\.00/)
  expect(await release()).toMatch(/Amount +\$?19\.00/)
  await setLimit(100)
  expect(await release('--dry-run')).toMatch(/Amount +\$?19\.00[\s\S]*A second person must agree first/)
  await setLimit(null)
})

test('a saved method is revoked with its shop in sight, and the operation is told', async () => {
  const scene = await openScene(kassa)
  const savedMethod = await scene.savedMethod()
  const path = '/sandbox/settings/saved-method-revoke'
  const typed = { ...hiddenIn((await browser.get(path)).text), savedMethod }
  const first = await browser.post(path, typed)
  expect(first.text).toContain(scene.merchantId)
  expect(first.text).toMatch(/can be charged[\s\S]*revoked/)
  const done = await browser.post(path, hiddenIn(first.text))
  const { rows } = await kassa.ctx.db.query(
    `select id from sandbox.operations where saved_method_id = $1 and type = 'token_revoke'`,
    [savedMethod],
  )
  expect(done.text).toContain(rows[0]?.id)
  const again = await run('saved-method', 'revoke', '--saved-method', savedMethod, '--dry-run')
  expect(again.text).toContain('It was revoked before')
})

test('a shop that takes payments again has no reason left for which it was stopped', async () => {
  const { merchantId } = await openScene(kassa)
  await run('merchant', 'pause', '--merchant', merchantId, '--why', 'moves')
  expect((await run('merchant', 'resume', '--merchant', merchantId, '--why', 'back')).code).not.toBe(0)
  const { text } = await run('merchant', 'resume', '--merchant', merchantId, '--json')
  expect(JSON.parse(text)).toMatchObject({ state: 'open', stoppedAt: null, stoppedWhy: null })
})

test.each([null, 100])(
  'an address that is too long makes no shop, with a limit of %s',
  async (limitMinor) => {
    await setLimit(limitMinor)
    const callbackUrl = `https://shop.example/${'x'.repeat(2_100)}`
    const { code, text } = await run(
      'merchant',
      'create',
      '--name',
      'Too long',
      '--callback-url',
      callbackUrl,
      '--json',
    )
    expect([code, JSON.parse(text)]).toMatchObject([1, { error: { code: 'validation_failed' } }])
    expect(text).toContain('--callback-url must have at most')
    expect((await run('merchant', 'list', '--json')).text).not.toContain('Too long')
    await setLimit(null)
  },
)

test('values that nobody could grant are refused before anything is proposed, and the field is named', async () => {
  await setLimit(100)
  const { byHand, merchantId } = await openScene(kassa)
  const why = 'x'.repeat(241)
  await expect(
    doOrPropose(kassa.ctx, root, 'payment resolve', { paymentId: await byHand(), as: 'cancelled', why }),
  ).rejects.toMatchObject({ code: 'validation_failed', details: { errors: { why: expect.any(String) } } })
  const url = `https://shop.example/${'x'.repeat(2_100)}`
  await expect(doOrPropose(kassa.ctx, root, 'callback set', { merchantId, url })).rejects.toMatchObject({
    code: 'validation_failed',
    details: { errors: { url: expect.any(String) } },
  })
  await setLimit(null)
})

test('a product is not told two things at once, and its limits are never of another currency', async () => {
  const { merchantId } = await openScene(kassa)
  const set = (...more: string[]) =>
    run('product', 'set', '--merchant', merchantId, '--id', 'gift', '--name', 'Gift', ...more)
  const drams = ['--amount', '2000', '--currency', 'AMD']
  const limits = ['--min-amount', '500', '--max-amount', '5000']
  expect((await set(...drams, ...limits, '--route', 'route_b')).code).toBe(0)
  const before = await listProducts(kassa.ctx, merchantId)
  const refused = await Promise.all([
    set(...drams, '--remove', 'route', '--route', 'route_c'),
    set(...drams, ...limits, '--remove', 'chosen-amount'),
    set('--amount', '5.00', '--currency', 'USD'),
    set('--amount', '5.00', '--currency', 'USD', '--min-amount', '1.00'),
  ])
  expect(refused.map(({ code }) => code)).toEqual([1, 1, 1, 1])
  expect(await listProducts(kassa.ctx, merchantId)).toEqual(before)
  const dollars = ['--amount', '5.00', '--currency', 'USD']
  expect((await set(...dollars, '--min-amount', '1.00', '--max-amount', '9.00')).code).toBe(0)
  expect((await set(...drams, '--remove', 'chosen-amount')).code).toBe(0)
})
