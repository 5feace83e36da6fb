import { expect, test } from 'vitest'
import { call, createSession, lookUp, sessionRequest } from '../testing/calls.ts'
import { expectWithin } from '../testing/expect-within.ts'
import type { Shop } from '../testing/harness.ts'
import { operateHere, operateJson } from '../testing/operator.ts'
import { openKassa } from '../testing/scene.ts'
import { serveHere } from '../testing/serve-here.ts'

const ORIGIN = 'https://office.example'

const kassa = await openKassa()

/** Runs a command with its own connection to the service, expects success, and returns the JSON. */
async function run(...args: string[]) {
  const { code, answer } = await operateJson({ DATABASE_URL: kassa.databaseUrl }, args)
  expect(answer).toMatchObject({ ok: true })
  expect(code).toBe(0)
  return answer
}

/** Runs a command in this process and returns its output. */
function read(...args: string[]) {
  return operateHere(async () => kassa.ctx, args)
}

/** Runs a command in this process and returns the JSON. Tests use it for their setup. */
async function prepare(...args: string[]) {
  return JSON.parse((await read(...args, '--json')).stdout)
}

test('a token works as soon as it is issued, within its scopes, and stops working within a second of its revocation', async () => {
  const { merchantId } = await prepare('merchant', 'create', '--name', 'Cups')
  const scopes = ['--scope', 'payments.read', '--scope', 'payments.write']
  const { token, tokenId } = await run('token', 'issue', '--merchant', merchantId, ...scopes)
  const shop = { token } as Shop
  expect(await createSession(kassa.url, shop)).toMatchObject({ status: 201 })

  expect((await run('token', 'list', '--merchant', merchantId)).tokens).toMatchObject([
    { tokenId, scopes: ['payments.read', 'payments.write'], revokedAt: null },
  ])
  expect(await createSession(kassa.url, shop)).toMatchObject({ status: 200 })
  const { revokedAt } = await run('token', 'revoke', '--token', tokenId)
  await expectWithin(1_000, async () => (await createSession(kassa.url, shop)).status, 401)
  expect((await run('token', 'revoke', '--token', tokenId)).revokedAt).toBe(revokedAt)
})

test('a leaked token can be revoked by its own text, and the output never repeats it', async () => {
  const { merchantId } = await prepare('merchant', 'create', '--name', 'Leaky')
  const { token, tokenId } = await prepare('token', 'issue', '--merchant', merchantId)
  const revoked = await read('token', 'revoke', '--token', token)
  expect(revoked.stdout).toContain(tokenId)
  expect(revoked.stdout).not.toContain(token)
  const unknown = await read('token', 'revoke', '--token', `${token}x`)
  expect(unknown.code).toBe(1)
  expect(unknown.stderr).not.toContain(token)
})

test('a token that lacks the scope of an endpoint is rejected with 403, even if the body is invalid', async () => {
  const { merchantId } = await prepare('merchant', 'create', '--name', 'Reader')
  const issue = ['token', 'issue', '--merchant', merchantId, '--scope']
  const reader = (await prepare(...issue, 'payments.read')) as Shop
  const writer = (await prepare(...issue, 'payments.write')) as Shop
  const { body } = await createSession(kassa.url, writer)
  expect(await lookUp(kassa.url, reader, body.id)).toMatchObject({ status: 200 })
  const refused = { status: 403, body: { ok: false, error: { code: 'insufficient_scope' } } }
  expect(await lookUp(kassa.url, writer, body.id)).toMatchObject(refused)
  expect(await createSession(kassa.url, reader)).toMatchObject(refused)
  expect(await createSession(kassa.url, reader, { body: '{' })).toMatchObject(refused)
})

test('during the overlap a rotated token and its successor both work, with the same scopes', async () => {
  const { merchantId } = await prepare('merchant', 'create', '--name', 'Rotating')
  const issued = await prepare('token', 'issue', '--merchant', merchantId, '--scope', 'payments.write')
  const rotated = await run('token', 'rotate', '--token', issued.tokenId)
  expect(rotated).toMatchObject({ merchantId, world: 'sandbox', scopes: ['payments.write'] })
  expect(Date.parse(rotated.oldUntil) - Date.now()).toBeGreaterThan(86_000_000)
  const status = async ({ token }: { token: string }) =>
    (await createSession(kassa.url, { token } as Shop)).status
  expect([await status(issued), await status(rotated)]).toEqual([201, 200])
  expect(await lookUp(kassa.url, rotated, 'pay_none')).toMatchObject({ status: 403 })
  const states = async () =>
    (await prepare('token', 'list', '--merchant', merchantId)).tokens.map(
      ({ state }: { state: string }) => state,
    )
  expect(await states()).toEqual(['replaced', 'active'])

  kassa.clock.advance(86_400_000 + 1_000)
  try {
    expect([await status(issued), await status(rotated)]).toEqual([401, 200])
    expect(await states()).toEqual(['ended', 'active'])
  } finally {
    kassa.clock.advance(-86_401_000)
  }
  const again = await prepare('token', 'rotate', '--token', issued.tokenId)
  expect(again).toMatchObject({ ok: false, error: { code: 'validation_failed' } })
})

test('without an overlap the old token ends at once, and only one of two concurrent rotations succeeds', async () => {
  const { merchantId } = await prepare('merchant', 'create', '--name', 'Leaked')
  const { token, tokenId } = await prepare('token', 'issue', '--merchant', merchantId)
  const rotate = ['token', 'rotate', '--token', tokenId, '--overlap', '0']
  const both = await Promise.all([prepare(...rotate), prepare(...rotate)])
  expect(both.map(({ ok }) => ok).sort()).toEqual([false, true])
  expect((await createSession(kassa.url, { token } as Shop)).status).toBe(401)
  expect((await prepare('token', 'list', '--merchant', merchantId)).tokens).toHaveLength(2)
  expect((await read('token', 'rotate', '--token', 'tok_none')).stderr).toContain('no token tok_none')
  expect((await read(...rotate, '--overlap', '2h')).code).toBe(1)
})

test('every service on the database rejects a revoked token within a second', async () => {
  const { merchantId } = await prepare('merchant', 'create', '--name', 'Everywhere')
  const issued = await prepare('token', 'issue', '--merchant', merchantId)
  const settings = { DATABASE_URL: kassa.databaseUrl, PROCESS: 'web' }
  const services = await Promise.all([serveHere(settings), serveHere(settings)])
  try {
    const statuses = () =>
      Promise.all(services.map(async ({ url }) => (await lookUp(url, issued, 'pay_none')).status))
    expect(await statuses()).toEqual([404, 404])
    await prepare('token', 'revoke', '--token', issued.tokenId)
    await expectWithin(1_000, statuses, [401, 401])
  } finally {
    await Promise.all(services.map((each) => each.stop()))
  }
})

test('an approved origin is listed as approved and allowed only if it is added, and approving it again changes nothing', async () => {
  const { merchantId } = await prepare('merchant', 'create', '--name', 'Reviewed')
  const of = ['--merchant', merchantId]
  const added = 'https://added.example'
  await prepare('origin', 'add', ...of, '--origin', added)
  expect((await run('origin', 'list', ...of)).origins).toMatchObject([{ origin: added, approvedAt: null }])
  expect(await run('origin', 'approve', ...of, '--origin', ORIGIN)).toMatchObject({
    origins: [added],
    approved: [ORIGIN],
  })
  await prepare('origin', 'remove', ...of, '--origin', added)
  const [{ approvedAt }] = (await prepare('origin', 'list', ...of)).origins
  await prepare('origin', 'approve', ...of, '--origin', ORIGIN)
  await prepare('origin', 'add', ...of, '--origin', ORIGIN)
  expect((await prepare('origin', 'list', ...of)).origins).toMatchObject([{ origin: ORIGIN, approvedAt }])
  for (const origin of ['https://office.example/', 'office.example', 'https://*.example', 'null'])
    expect(await prepare('origin', 'approve', ...of, '--origin', origin)).toMatchObject({ ok: false })
  for (const [origin, advice] of [
    ['office.example', 'Write https://office.example'],
    ['localhost:5500', 'Write http://localhost:5500'],
    ['localhost.example', 'Write https://localhost.example'],
    ['https://*.example', 'Write it as https://shop.example'],
  ] as const)
    expect((await read('origin', 'add', ...of, '--origin', origin)).stderr).toContain(advice)
})

test('calls to /v1 may carry an origin only while it is allowed', async () => {
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
  await expectWithin(1_000, look, 404)
  expect(await run('origin', 'remove', ...given)).toMatchObject({ origins: [] })
  await expectWithin(1_000, look, 403)
  const again = await prepare('origin', 'remove', ...given)
  expect(again).toMatchObject({ ok: false, error: { code: 'validation_failed' } })
})

test('an origin is allowed for its own merchant only and byte for byte, and any other origin is rejected before the body is read', async () => {
  const [own, other] = await Promise.all(
    ['Own', 'Other'].map(async (name) => {
      const { merchantId } = await prepare('merchant', 'create', '--name', name)
      return {
        merchantId,
        token: (await prepare('token', 'issue', '--merchant', merchantId)).token as string,
      }
    }),
  )
  const origin = 'https://own.example'
  await prepare('origin', 'add', '--merchant', own?.merchantId ?? '', '--origin', origin)
  const post = async (token: string | undefined, sent: string, body: unknown = sessionRequest()) => {
    const headers = { authorization: `Bearer ${token}`, origin: sent }
    const answer = await call(`${kassa.url}/v1/payment-sessions`, { headers, body })
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    return answer
  }
  expect((await post(own?.token, origin)).status).toBe(201)
  const refused = { status: 403, body: { error: { code: 'origin_not_trusted' } } }
  expect(await post(other?.token, origin)).toMatchObject(refused)
  for (const sent of [
    `${origin}:443`,
    `${origin}.evil.example`,
    'http://own.example',
    'https://Own.example',
    'null',
  ])
    for (const body of [sessionRequest(), '{'])
      expect([sent, await post(own?.token, sent, body)]).toMatchObject([sent, refused])
})
