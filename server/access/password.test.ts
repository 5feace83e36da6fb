/** A password costs a thief as much as it should: the work is really done, for an unknown name too. */
import crypto, { scryptSync } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { afterEach, expect, test, vi } from 'vitest'
import { hashPassword, isPassword } from './password.ts'

const PASSWORD = 'four words of mountain tea'
const FIGURES = { N: 32_768, r: 8, p: 3 }
const MEMORY = { maxmem: 64 * 1024 * 1024 }

afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

test('is stored as scrypt makes it with the figures that stand beside it', async () => {
  const [, N, r, p, salt = '', hash] = (await hashPassword(PASSWORD)).split('$')
  expect({ N: Number(N), r: Number(r), p: Number(p) }).toEqual(FIGURES)
  const made = scryptSync(PASSWORD, Buffer.from(salt, 'base64'), 32, { ...FIGURES, ...MEMORY })
  expect(made.toString('base64')).toBe(hash)
})

test('is compared with the same work, whether it is right, wrong or of nobody', async () => {
  const stored = await hashPassword(PASSWORD)
  const scrypt = vi.spyOn(crypto, 'scrypt')
  syncBuiltinESMExports()
  expect(await isPassword(PASSWORD, stored)).toBe(true)
  expect(await isPassword('another password', stored)).toBe(false)
  expect(await isPassword(PASSWORD, null)).toBe(false)
  expect(scrypt.mock.calls.map(([, , , options]) => options)).toEqual([
    { ...FIGURES, ...MEMORY },
    { ...FIGURES, ...MEMORY },
    { ...FIGURES, ...MEMORY },
  ])
})
