/** How much money a token may return: never more than the person who issued it. */
import { beforeAll, expect, test } from 'vitest'
import { addUser } from '../access/users.ts'
import { openScene } from '../testing/scene.ts'
import { getToken, issueToken, rotateToken } from './api-key.ts'
import { setTokenLimits } from './token-limits.ts'

const { kassa, shop } = await openScene()
let ani: { id: string }
let gor: { id: string }
beforeAll(async () => {
  const person = async (name: string, refundLimits: Record<string, number> | null) => {
    const all = { role: 'administrator' as const, email: `${name}@pay.example`, refundLimits }
    return (await addUser(kassa.ctx, { name, ...all })).operator
  }
  ani = await person('Ani', null)
  gor = await person('Gor', { USD: 10_000 })
})

const issue = async (more: Omit<Parameters<typeof issueToken>[1], 'merchantId'>) => {
  const { merchantId } = shop
  return getToken(kassa.ctx, (await issueToken(kassa.ctx, { merchantId, ...more })).tokenId)
}

test('a token may return what its doer may, unless it is given less', async () => {
  expect(await issue({})).toMatchObject({ issuedBy: 'host', refundLimits: null, refundLimitsDay: null })
  expect(await issue({ doer: ani })).toMatchObject({ issuedBy: ani.id, refundLimits: null })
  expect(await issue({ doer: gor })).toMatchObject({
    issuedBy: gor.id,
    refundLimits: { USD: 10_000 },
    refundLimitsDay: null,
  })
  const less = { doer: gor, refundLimits: { USD: 5_000 }, refundLimitsDay: { USD: 9_000 } }
  expect(await issue(less)).toMatchObject({ refundLimits: { USD: 5_000 }, refundLimitsDay: { USD: 9_000 } })
})

test('nobody gives a token more than they may return themselves', async () => {
  const more = [
    { refundLimits: { USD: 10_001 } },
    { refundLimits: null },
    { refundLimits: { USD: 1, EUR: 1 } },
    { refundLimitsDay: { USD: 10_001 } },
  ]
  for (const limits of more)
    await expect(issue({ doer: gor, ...limits }), JSON.stringify(limits)).rejects.toThrow('above your own')
  await expect(issue({ scopes: ['payments.read'], refundLimits: { USD: 1 } })).rejects.toThrow(
    'operations.write',
  )
  expect(await issue({ scopes: ['payments.read'], doer: gor })).toMatchObject({ refundLimits: null })
})

test('rotation by the host keeps the limits and who answers for them', async () => {
  const { id } = await issue({ doer: gor, refundLimits: { USD: 700 }, refundLimitsDay: { USD: 900 } })
  const { tokenId } = await rotateToken(kassa.ctx, id, '0')
  expect(await getToken(kassa.ctx, tokenId)).toMatchObject({
    issuedBy: gor.id,
    refundLimits: { USD: 700 },
    refundLimitsDay: { USD: 900 },
  })
})

test('whoever replaces the token of another answers for the new one, without what a second person has approved', async () => {
  const mary = (
    await addUser(kassa.ctx, {
      name: 'Mary',
      role: 'operator',
      email: 'mary@pay.example',
      refundLimits: null,
    })
  ).operator
  const refundLimits = { USD: 700 }
  const rotated = async (isApproved: boolean, by?: { id: string }) => {
    const { id } = await issue({ doer: { id: ani.id, isApproved }, refundLimits })
    return getToken(kassa.ctx, (await rotateToken(kassa.ctx, id, '0', by)).tokenId)
  }
  for (const isApproved of [true, false]) {
    const kept = { issuedBy: ani.id, isApproved, refundLimits }
    expect(await rotated(isApproved, mary)).toMatchObject({
      issuedBy: mary.id,
      isApproved: false,
      refundLimits,
    })
    expect(await rotated(isApproved, ani)).toMatchObject(kept)
    expect(await rotated(isApproved)).toMatchObject(kept)
  }
})

test('nobody replaces a token that may return more than they may, and whoever may return as much keeps its limits', async () => {
  const big = await issue({ doer: ani, refundLimits: { USD: 20_000 } })
  const perDay = await issue({ doer: ani, refundLimits: { USD: 700 }, refundLimitsDay: { USD: 20_000 } })
  const unlimited = await issue({})
  for (const { id } of [big, perDay, unlimited]) {
    await expect(rotateToken(kassa.ctx, id, '0', gor)).rejects.toThrow('may return more than you')
    expect(await getToken(kassa.ctx, id)).toMatchObject({ expiresAt: null })
    expect((await rotateToken(kassa.ctx, id, '0', ani)).tokenId).toBeTruthy()
  }
  const reading = await issue({ scopes: ['payments.read'] })
  expect((await rotateToken(kassa.ctx, reading.id, '0', gor)).tokenId).toBeTruthy()
})

test('the successor of a token without limits may return what its rotator may return alone', async () => {
  const rotated = async (by?: { id: string | null }) => {
    const old = await issue({})
    // As a version before the limits stores it.
    await kassa.ctx.db.query('update sandbox.api_keys set issued_by = null where id = $1', [old.id])
    return getToken(kassa.ctx, (await rotateToken(kassa.ctx, old.id, '0', by)).tokenId)
  }
  const alone = { isApproved: false, refundLimitsDay: null }
  expect(await rotated(gor)).toMatchObject({ issuedBy: gor.id, refundLimits: { USD: 10_000 }, ...alone })
  expect(await rotated(ani)).toMatchObject({ issuedBy: ani.id, refundLimits: null, ...alone })
  expect(await rotated()).toMatchObject({ issuedBy: 'host', refundLimits: null, ...alone })
})

test('whoever raises a token answers for it, and whoever lowers it does not', async () => {
  const { id: tokenId } = await issue({ doer: gor })
  const lowered = await setTokenLimits(kassa.ctx, { tokenId, doer: ani, refundLimits: { USD: 500 } })
  expect(lowered.token).toMatchObject({ issuedBy: gor.id, refundLimits: { USD: 500 } })
  const above = setTokenLimits(kassa.ctx, { tokenId, doer: gor, refundLimits: { USD: 20_000 } })
  await expect(above).rejects.toThrow('above your own')
  const raised = await setTokenLimits(kassa.ctx, { tokenId, doer: ani, refundLimits: { USD: 20_000 } })
  expect(raised.token).toMatchObject({ issuedBy: ani.id, refundLimits: { USD: 20_000 } })
})
