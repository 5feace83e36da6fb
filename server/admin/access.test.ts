import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, createSession } from '../testing/calls.ts'
import { type Kassa, type Shop, startKassa } from '../testing/harness.ts'
import { operateHere, operateJson } from '../testing/operator.ts'

const ORIGIN = 'https://office.example'
let kassa: Kassa

beforeAll(async () => {
  kassa = await startKassa()
})
afterAll(() => kassa.close())

/** Runs a command that must succeed, as a process, and answers its JSON. */
async function run(...args: string[]) {
  const { code, answer } = await operateJson({ DATABASE_URL: kassa.databaseUrl }, args)
  expect(answer).toMatchObject({ ok: true })
  expect(code).toBe(0)
  return answer
}

/** Runs a command in this process, and answers its text. */
function read(...args: string[]) {
  return operateHere(async () => kassa.ctx, args)
}

/** What a test needs before it begins. */
async function prepare(...args: string[]) {
  return JSON.parse((await read(...args, '--json')).stdout)
}

test('a token works as soon as it is issued, within its scopes, and not a second after it is revoked', async () => {
  const { merchantId } = await prepare('merchant', 'create', '--name', 'Cups')
  const scopes = ['--scope', 'payments.read', '--scope', 'payments.write']
  const { token, tokenId } = await run('token', 'issue', '--merchant', merchantId, ...scopes)
  const shop = { token } as Shop
  expect(await createSession(kassa.url, shop)).toMatchObject({ status: 201 })

  expect((await run('token', 'list', '--merchant', merchantId)).tokens).toMatchObject([
    { tokenId, mode: 'sandbox', scopes: ['payments.read', 'payments.write'], revokedAt: null },
  ])
  expect(await createSession(kassa.url, shop)).toMatchObject({ status: 200 })
  const { revokedAt } = await run('token', 'revoke', '--token', tokenId)
  await expect
    .poll(async () => (await createSession(kassa.url, shop)).status, { timeout: 1000, interval: 50 })
    .toBe(401)
  expect((await run('token', 'revoke', '--token', tokenId)).revokedAt).toBe(revokedAt)
})

test('a token found where it should not be is revoked by itself, and never repeated', async () => {
  const { merchantId } = await prepare('merchant', 'create', '--name', 'Leaky')
  const { token, tokenId } = await prepare('token', 'issue', '--merchant', merchantId)
  const revoked = await read('token', 'revoke', '--token', token)
  expect(revoked.stdout).toContain(tokenId)
  expect(revoked.stdout).not.toContain(token)
  const unknown = await read('token', 'revoke', '--token', `${token}x`)
  expect(unknown.code).toBe(1)
  expect(unknown.stderr).not.toContain(token)
})

test('no live token is issued before an onboarding, and the refusal names what is missing', async () => {
  const { merchantId } = await prepare('merchant', 'create', '--name', 'Early')
  const refused = await read('token', 'issue', '--merchant', merchantId, '--live')
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toMatch(/onboarding.*domain.*callback.*sandbox payment/)
  expect((await prepare('token', 'list', '--merchant', merchantId)).tokens).toEqual([])
})

test('calls to /v1 carry an origin only while it is trusted', async () => {
  const { merchantId } = await prepare('merchant', 'create', '--name', 'Office')
  const { token } = await prepare('token', 'issue', '--merchant', merchantId)
  const look = async () =>
    (
      await call(`${kassa.url}/v1/payments?paymentId=pay_none`, {
        method: 'GET',
        headers: { authorization: `Bearer ${token}`, origin: ORIGIN },
      })
    ).status
  const given = ['--merchant', merchantId, '--origin', ORIGIN]
  expect(await look()).toBe(403)
  expect(await run('origin', 'add', ...given)).toMatchObject({ origins: [ORIGIN] })
  await expect.poll(look, { timeout: 1000 }).toBe(404)
  expect(await run('origin', 'remove', ...given)).toMatchObject({ origins: [] })
  await expect.poll(look, { timeout: 1000 }).toBe(403)
  const again = await prepare('origin', 'remove', ...given)
  expect(again).toMatchObject({ ok: false, error: { code: 'validation_failed' } })
})
