/** Above the limit of the deployment: the second factor once more, for this act alone, and then a second person. */
import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { codeAt, secretFrom } from '../../access/one-time-code.ts'
import { readNewPasskey } from '../../access/passkeys.ts'
import { placeOfCode } from '../../access/sign-in.ts'
import { listApprovals } from '../../operator/approvals/listing.ts'
import { insertPasskey, putPassword } from '../../storage/access/credentials.ts'
import { storeLimit } from '../../storage/audit/proposals.ts'
import { inTransaction } from '../../storage/db.ts'
import { listPaymentOperations } from '../../storage/payments/operations.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { createAuthenticator } from '../../testing/attacks/authenticator.ts'
import { createSession, payAtBank, sessionRequest } from '../../testing/calls.ts'
import { forgetProofs, hiddenIn, openAs, type TestBrowser } from '../../testing/console.ts'
import { openConsole } from '../../testing/scene/console.ts'
import { grantAs } from '../../testing/scene/people.ts'
import { SWEEPS } from '../../worker/sweeps.ts'

type Someone = {
  id: string
  browser: TestBrowser
  phone: ReturnType<typeof createAuthenticator>
  secret: string
}
const { kassa, desk, shop } = await openConsole({
  settings: { RATE_LIMITS: 'sign_in_user=0.001:30,page=1000:1000' },
})
const ani = await addWithBoth('Ani', 'administrator')
const davit = await addWithBoth('Davit', 'operator')
await storeLimit(kassa.ctx.db, 'USD', 500)

/** Somebody with a passkey and with an app. */
async function addWithBoth(name: string, role: 'administrator' | 'operator'): Promise<Someone> {
  const { ctx } = kassa
  const { browser, id } = await openAs(ctx, desk, { role, name, email: `${name}@pay.example` })
  const [phone, secret, now] = [createAuthenticator(), secretFrom(randomBytes(20)), new Date()]
  const request = { challenge: randomBytes(32).toString('base64url'), origin: desk.origin }
  const passkey = await readNewPasskey(id, phone.create(request), request)
  if (!passkey) throw new Error('The passkey was not accepted.')
  await inTransaction(ctx.db, async (tx) => {
    await insertPasskey(tx, passkey, now)
    await putPassword(
      tx,
      { operatorId: id, hash: 'x', ...ctx.vault.seal(secret, placeOfCode(id)), usedStep: 0 },
      now,
    )
  })
  return { id, browser, phone, secret }
}

let payment: string
let orders = 0
beforeEach(async () => {
  const key = `again-${++orders}`
  const body = sessionRequest({ merchantOrderId: key, amountMinor: 1_900 })
  const { body: session } = await createSession(kassa.url, shop, { key, body })
  await payAtBank(session.providerCheckoutUrl, 'paid')
  payment = session.id
})
const path = () => `/sandbox/payments/${payment}/refund`
const proposals = async () =>
  (await listApprovals(kassa.ctx, { all: true })).filter(({ about }) => about.includes(payment))

/** The second form, as the server has shown it a while after the last proof, and what it asks the browser's passkeys. */
async function sureForm({ browser, id }: Someone, amount = '8.00') {
  await forgetProofs(kassa.ctx, id)
  const { text } = await browser.get(path())
  const shown = (await browser.post(path(), { ...hiddenIn(text), amount, why: 'broken' })).text
  const options = /data-again="([^"]+)"/.exec(shown)?.[1]?.replaceAll('&quot;', '"') ?? '{}'
  return {
    form: hiddenIn(shown),
    challenge: JSON.parse(options).challenge as string,
    options: JSON.parse(options),
  }
}
const signed = ({ phone }: Someone, challenge: string, origin = desk.origin) => ({
  json: JSON.stringify(phone.get({ challenge, origin })),
})
const codeOf = ({ secret }: Someone, steps = 0) => ({
  code: codeAt(secret, new Date(Date.now() + steps * 30_000)),
})
const isRefused = async ({ browser }: Someone, form: Record<string, string>) => {
  const { status, text } = await browser.post(path(), form)
  expect([status, text.includes('role="alert"')]).toEqual([422, true])
  expect([await proposals(), await listPaymentOperations(kassa.ctx.db, shop.merchantId, payment)]).toEqual([
    [],
    [],
  ])
}

test('a passkey proposes the refund, and another person grants it', async () => {
  const { form, challenge, options } = await sureForm(ani)
  expect(options.allowCredentials.map(({ id }: { id: string }) => id)).toEqual([ani.phone.id])
  const done = await ani.browser.post(path(), { ...form, ...signed(ani, challenge) })
  expect(done.location).toBe(`/sandbox/payments/${payment}?done=proposed`)
  const [proposal] = await proposals()
  expect(proposal).toMatchObject({ what: 'payment refund', proposer: 'Ani', merchantId: shop.merchantId })
  const id = proposal?.id ?? ''
  const person = (own: string, name: string) => ({ id: own, name, role: 'operator' as const })
  await expect(grantAs(kassa.ctx, person(ani.id, 'Ani'), id)).rejects.toThrow('yourself')
  // The one who grants it shows the same.
  const unproven = person(davit.id, 'Davit')
  const prove = () => Promise.reject(new Error('not shown'))
  await expect(grantAs(kassa.ctx, { ...unproven, prove }, id)).rejects.toThrow('not shown')
  await grantAs(kassa.ctx, unproven, id)
  await SWEEPS.moneyOperations(kassa.ctx)
  expect(await findPaymentById(kassa.ctx.db, payment)).toMatchObject({ refundedMinor: 800 })
})

test('a code does it too, once: and not for another act', async () => {
  const { form } = await sureForm(davit)
  const typed = codeOf(davit)
  expect((await davit.browser.post(path(), { ...form, ...typed })).location).toContain('done=proposed')
  const other = await sureForm(davit, '9.00')
  const again = await davit.browser.post(path(), { ...other.form, ...typed })
  expect([again.status, again.text.includes('used already')]).toEqual([422, true])
  expect(await proposals()).toHaveLength(1)
  // Below the limit no second person is needed, but the second factor is, once it is too old.
  const small = await sureForm(davit, '5.00')
  expect(small.form.again).toBeDefined()
})

describe('nothing happens', () => {
  test('without it, or with a wrong code', async () => {
    const { form } = await sureForm(ani)
    const { again: _again, ...bare } = form
    await isRefused(ani, bare)
    await isRefused(ani, form)
    for (const code of ['000000', 'null', '']) await isRefused(ani, { ...(await sureForm(ani)).form, code })
  })

  test('with a right answer for another amount, another reason or another payment', async () => {
    for (const changed of [{ amount: '9.00' }, { why: 'another' }]) {
      const { form, challenge } = await sureForm(ani)
      await isRefused(ani, { ...form, ...changed, ...signed(ani, challenge) })
      const typed = await sureForm(ani)
      await isRefused(ani, { ...typed.form, ...changed, ...codeOf(ani, 1) })
    }
    const [one, other] = [await sureForm(ani), await sureForm(ani, '9.00')]
    await isRefused(ani, { ...one.form, ...signed(ani, other.challenge) })
    await isRefused(ani, { ...one.form, again: other.form.again ?? '', ...signed(ani, other.challenge) })
  })

  test('with an answer of five minutes ago, of another person, or of another origin', async () => {
    const late = await sureForm(ani)
    await kassa.ctx.db.query("update kassa.sign_in_steps set expires_at = now() - interval '1 second'")
    await isRefused(ani, { ...late.form, ...signed(ani, late.challenge) })
    const own = await sureForm(ani)
    await forgetProofs(kassa.ctx, davit.id)
    await isRefused(davit, { ...own.form, ...signed(ani, own.challenge) })
    const mine = await sureForm(ani)
    await isRefused(ani, { ...mine.form, ...signed(davit, mine.challenge) })
    const evil = await sureForm(ani)
    await isRefused(ani, { ...evil.form, ...signed(ani, evil.challenge, 'https://evil.example') })
  })

  test('a second time with the same answer', async () => {
    const { form, challenge } = await sureForm(ani)
    const answer = signed(ani, challenge)
    const both = await Promise.all([1, 2].map(() => ani.browser.post(path(), { ...form, ...answer })))
    expect(both.map(({ status }) => status).sort()).toEqual([303, 422])
    expect(await proposals()).toHaveLength(1)
  })

  test('by guessing: after some tries even the right code has to wait, in its form, and a passkey has not', async () => {
    const guesser = await addWithBoth('Guesser', 'operator')
    const { form, challenge } = await sureForm(guesser)
    const guess = { ...form, again: 'guessed', code: '000000' }
    let last = await guesser.browser.post(path(), guess)
    expect(last.text).not.toContain('Too many wrong codes')
    for (let count = 0; count < 30; count++) last = await guesser.browser.post(path(), guess)
    expect([last.status, last.text.includes('Too many wrong codes. Wait ')]).toEqual([422, true])
    const { form: typed } = await sureForm(guesser)
    const right = await guesser.browser.post(path(), { ...typed, ...codeOf(guesser, 1) })
    expect([right.status, hiddenIn(right.text), await proposals()]).toMatchObject([
      422,
      { why: 'broken' },
      [],
    ])
    const shown = await guesser.browser.post(path(), { ...form, ...signed(guesser, challenge) })
    expect(shown.location).toContain('done=proposed')
  })

  test('to a passkey that is shown often', { tags: ['long'] }, async () => {
    for (let count = 0; count < 31; count++) {
      const { form, challenge } = await sureForm(ani, `8.${10 + count}`)
      const shown = await ani.browser.post(path(), { ...form, ...signed(ani, challenge) })
      expect(shown.location).toContain('done=proposed')
    }
  })
})
