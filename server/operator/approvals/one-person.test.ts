/** With a limit, one person alone gets no way to return or redirect more than before, by any door. */
import { beforeEach, expect, test } from 'vitest'
import { addUser, changeUser } from '../../access/users.ts'
import { allowAccount } from '../../accounts/manage.ts'
import { setAccount } from '../../accounts/set.ts'
import type { Person } from '../../audit/people.ts'
import { authenticate, issueToken, listTokens } from '../../merchants/api-key.ts'
import { openWebhookSecrets } from '../../receivers/secret.ts'
import { readAuditChain } from '../../storage/audit/log.ts'
import { listLimits, storeLimit } from '../../storage/audit/proposals.ts'
import { openShop } from '../../testing/harness.ts'
import { operateJson } from '../../testing/operator.ts'
import { forgetPeople, grantAs, proposeAs } from '../../testing/scene/people.ts'
import { openKassa } from '../../testing/scene.ts'
import { doOrPropose } from './approvals.ts'
import type { ArgsOf, GuardedName } from './guarded.ts'
import { revealSecret, revokeUnseenSecrets, SEEN_WITHIN_MS } from './secrets.ts'

const kassa = await openKassa({ settings: { ROUTE_E_DRIVER: 'sandbox', ROUTE_E_SHARED: 'false' } })
let merchantId: string
let ani: Person
let davit: Person
const keys: Record<string, string> = {}
beforeEach(async () => {
  await forgetPeople(kassa.ctx)
  merchantId = (await openShop(kassa.ctx)).merchantId
  ani = await person('Ani', 'administrator')
  davit = await person('Davit', 'operator')
  await limit(50_000)
})

const limit = (minor: number | null, currency = 'USD') => storeLimit(kassa.ctx.db, currency, minor)
async function person(name: string, role: 'administrator' | 'operator'): Promise<Person> {
  const { operator, key } = await addUser(kassa.ctx, { name, role, email: `${name}@pay.example` })
  keys[name] = key ?? ''
  return operator
}
const isProposed = async <Name extends GuardedName>(name: Name, args: ArgsOf<Name>, by = ani) =>
  'proposed' in (await doOrPropose(kassa.ctx, by, name, args))
const propose = <Name extends GuardedName>(name: Name, args: ArgsOf<Name>) =>
  proposeAs(kassa.ctx, ani, name, args)
const grant = (id: string, by = davit) => grantAs(kassa.ctx, by, id)
const run = (name: string, ...args: string[]) =>
  operateJson({ DATABASE_URL: kassa.databaseUrl, KASSA_OPERATOR_KEY: keys[name] ?? '' }, args)
const shop = (more: object = {}) => ({
  name: 'Shop',
  role: 'shop' as const,
  email: 'shop@shop.example',
  merchantId,
  ...more,
})

test('a token that returns money waits for a second person, and another one does not', async () => {
  const before = (await listTokens(kassa.ctx, merchantId)).length
  expect(await isProposed('token issue', { merchantId })).toBe(true)
  expect(await isProposed('token issue', { merchantId, scopes: ['operations.write'] })).toBe(true)
  expect(await listTokens(kassa.ctx, merchantId)).toHaveLength(before)
  expect(await isProposed('token issue', { merchantId, scopes: ['payments.read', 'payments.write'] })).toBe(
    false,
  )
  const { answer } = await run(
    'Ani',
    'token',
    'issue',
    '--merchant',
    merchantId,
    '--scope',
    'tokens.write',
    'operations.write',
  )
  expect([answer.proposed, answer.token]).toEqual([true, undefined])
})

test('the granted token is shown once, to its proposer, and to nobody else', async () => {
  const id = await propose('token issue', { merchantId })
  const granted = await grant(id)
  expect(granted.hasSecret).toBe(true)
  expect(JSON.stringify(granted)).not.toContain('ksk_')
  await expect(revealSecret(kassa.ctx, davit, id)).rejects.toMatchObject({ code: 'not_found' })
  const both = await Promise.allSettled([revealSecret(kassa.ctx, ani, id), revealSecret(kassa.ctx, ani, id)])
  const [shown] = both.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  const bearer = `Bearer ${shown?.text}`
  expect(await authenticate(kassa.ctx, bearer, 'operations.write')).toMatchObject({ merchantId })
})

test('a token that nobody has looked at is revoked after a day', async () => {
  const id = await propose('token issue', { merchantId })
  await grant(id)
  await revokeUnseenSecrets(kassa.ctx)
  expect((await listTokens(kassa.ctx, merchantId)).at(-1)?.revokedAt).toBeNull()
  await kassa.ctx.db.query(`update kassa.proposals set decided_at = $2 where id = $1`, [
    id,
    new Date(Date.now() - SEEN_WITHIN_MS - 1_000),
  ])
  await revokeUnseenSecrets(kassa.ctx)
  expect((await listTokens(kassa.ctx, merchantId)).at(-1)?.revokedAt).not.toBeNull()
  await expect(revealSecret(kassa.ctx, ani, id)).rejects.toMatchObject({ code: 'not_found' })
})

test('the secret of events is shown to no one alone, and its overlap begins when it is seen', async () => {
  const [old = ''] = await openWebhookSecrets(kassa.ctx, merchantId)
  const { answer } = await run('Ani', 'callback', 'rotate-secret', '--merchant', merchantId, '--overlap', '0')
  expect([answer.proposed, answer.webhookSecret]).toEqual([true, undefined])
  expect(await openWebhookSecrets(kassa.ctx, merchantId)).toEqual([old])
  const { approvalId } = answer.approval
  const granted = (await run('Davit', 'approval', 'grant', '--approval', approvalId)).answer
  expect(JSON.stringify(granted)).not.toContain('whsec_')
  expect(await openWebhookSecrets(kassa.ctx, merchantId)).toContain(old)
  const seen = (await run('Ani', 'approval', 'secret', '--approval', approvalId)).answer
  expect(await openWebhookSecrets(kassa.ctx, merchantId)).toEqual([seen.webhookSecret])
  const rows = (await readAuditChain(kassa.ctx.db, 0, 10_000)).filter(
    ({ what }) => what === 'approval secret',
  )
  expect(rows.map(({ who }) => who)).toContain('Ani')
  expect(JSON.stringify(rows)).not.toContain(seen.webhookSecret)
})

test('a new shop gets no secret of events while a limit is set, and its callback waits', async () => {
  const url = 'https://shop.example/events'
  const { answer } = await run('Ani', 'merchant', 'create', '--name', 'New', '--callback-url', url)
  expect(answer).toMatchObject({ webhookSecret: null, proposed: true })
  expect(await openWebhookSecrets(kassa.ctx, answer.merchantId)).toEqual([])
  await grant(answer.approval.approvalId)
  const { kind, text } = await revealSecret(kassa.ctx, ani, answer.approval.approvalId)
  expect([kind, await openWebhookSecrets(kassa.ctx, answer.merchantId)]).toEqual(['webhookSecret', [text]])
})

test('a secret that nobody has seen signs no more after a day, and the events stay signed', async () => {
  const id = await propose('callback rotate-secret', { merchantId, overlap: '24h' })
  const [old] = await openWebhookSecrets(kassa.ctx, merchantId)
  await grant(id)
  await kassa.ctx.db.query(
    `update kassa.proposals set decided_at = now() - interval '2 days' where id = $1`,
    [id],
  )
  await revokeUnseenSecrets(kassa.ctx)
  expect(await openWebhookSecrets(kassa.ctx, merchantId)).toEqual([old])
})

test('ending a replaced secret now needs nobody', async () => {
  await limit(null)
  await run('Ani', 'callback', 'rotate-secret', '--merchant', merchantId, '--overlap', '7d')
  await limit(50_000)
  expect(await openWebhookSecrets(kassa.ctx, merchantId)).toHaveLength(2)
  expect((await run('Ani', 'callback', 'end-secret', '--merchant', merchantId)).answer.ended).toBe(1)
  expect(await openWebhookSecrets(kassa.ctx, merchantId)).toHaveLength(1)
})

test('a person who may refund is moved, or gets a higher limit, by two', async () => {
  const { merchantId: other } = await openShop(kassa.ctx)
  const limits = { USD: 10_000 }
  const { operator } = await addUser(kassa.ctx, shop({ refundLimits: limits }))
  const user = operator.id
  for (const wish of [
    { merchantId: other },
    { refundLimits: { USD: 10_000_000 } },
    { refundLimits: { USD: 10_000, EUR: 1 } },
    { refundLimits: null },
    { role: 'operator' as const, merchantId: null },
  ])
    expect([wish, await isProposed('user set', { user, ...wish })]).toEqual([wish, true])
  const lower = [{ refundLimits: { USD: 9_999 } }, { refundLimits: {} }, { role: 'cashier' as const }]
  for (const wish of lower)
    expect([wish, await isProposed('user set', { user, ...wish })]).toEqual([wish, false])
  // A cashier with any limit moves no money, and needs two for the role that does.
  await changeUser(kassa.ctx, user, { refundLimits: null })
  expect(await isProposed('user set', { user, role: 'shop' })).toBe(true)
})

test('a limit falls by one person, and rises or goes by two', async () => {
  expect(await isProposed('approval limit', { currency: 'USD', limitMinor: 40_000 })).toBe(false)
  expect(await isProposed('approval limit', { currency: 'EUR', limitMinor: 1_000 })).toBe(false)
  expect(await isProposed('approval limit', { currency: 'USD', limitMinor: 40_001 })).toBe(true)
  expect(await isProposed('approval limit', { currency: 'EUR', limitMinor: null })).toBe(true)
  expect(await listLimits(kassa.ctx.db)).toMatchObject([{ limitMinor: 1_000 }, { limitMinor: 40_000 }])
})

test('what a limit was raised from is bound', async () => {
  const id = await propose('approval limit', { currency: 'USD', limitMinor: 90_000 })
  await doOrPropose(kassa.ctx, davit, 'approval limit', { currency: 'USD', limitMinor: 100 })
  await expect(grant(id)).rejects.toMatchObject({ details: { reason: 'changed_meanwhile' } })
})

test('the last but one who may grant stays while a limit stands, and goes when it does not', async () => {
  for (const args of [['remove'], ['set', '--role', 'viewer']]) {
    const [verb = '', ...more] = args
    const { code, answer } = await run('Ani', 'user', verb, '--user', 'Davit', ...more)
    expect([code, answer.error.message]).toEqual([1, expect.stringContaining('only two people')])
  }
  await limit(null)
  expect((await run('Ani', 'user', 'remove', '--user', 'Davit')).code).toBe(0)
})

test('an account of the deployment, and other settings of an own one, need two', async () => {
  const accountId = kassa.ctx.routes.route_e.id
  expect(await isProposed('account allow', { accountId, merchantId, allowed: true })).toBe(true)
  await allowAccount(kassa.ctx, { accountId, merchantId, allowed: true })
  expect(await isProposed('account allow', { accountId, merchantId, allowed: false })).toBe(false)
  const written = { ACCOUNT: '1234567890', RECIPIENT: 'Tea', BANK: 'Bank' }
  const wanted = { merchantId, route: 'manual' as const, driver: 'manual', currencies: undefined, written }
  const own = await setAccount(kassa.ctx, wanted)
  const other = { accountId: own.accountId, written: { RECIPIENT: 'Mallory' }, unchecked: false }
  expect(await isProposed('account rotate', other)).toBe(true)
  const elsewhere = { ...wanted, written: { ...written, ACCOUNT: '9876543210' } }
  expect(await isProposed('account set', { ...elsewhere, unchecked: false })).toBe(true)
})

test('the same refund is not proposed twice: the first is named', async () => {
  const id = await propose('callback set', { merchantId, url: 'https://a.shop.example/x' })
  expect(await propose('callback set', { merchantId, url: 'https://a.shop.example/x' })).toBe(id)
  const again = doOrPropose(kassa.ctx, davit, 'callback set', { merchantId, url: 'https://a.shop.example/x' })
  await expect(again).rejects.toMatchObject({
    details: { reason: 'proposed_already', about: { approval: id } },
  })
  const both = await Promise.all(
    Array.from({ length: 4 }, () => propose('callback set', { merchantId, url: 'https://b.shop.example/x' })),
  )
  expect(new Set(both).size).toBe(1)
})

test('without a limit one person does all of it at once', async () => {
  await limit(null)
  expect(await isProposed('token issue', { merchantId })).toBe(false)
  expect(await isProposed('callback rotate-secret', { merchantId, overlap: '24h' })).toBe(false)
  expect(await issueToken(kassa.ctx, { merchantId })).toHaveProperty('token')
  const { answer } = await run('Ani', 'merchant', 'create', '--name', 'New')
  expect(answer.webhookSecret).toMatch(/^whsec_/)
})
