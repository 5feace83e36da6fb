import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { defaultDataDir, findEarlierData } from './place.ts'

test('root has a directory for each checkout, which is the same at every start', () => {
  const one = defaultDataDir({ asRoot: true, checkout: '/srv/one/kassa/' })
  expect(one).toMatch(/^\/var\/lib\/kassa\/kassa-[0-9a-f]{8}$/)
  expect(defaultDataDir({ asRoot: true, checkout: '/srv/one/kassa' })).toBe(one)
  expect(defaultDataDir({ asRoot: true, checkout: '/srv/two/kassa' })).not.toBe(one)
  expect(defaultDataDir({ asRoot: true, checkout: '/srv/my shop (2)' })).toMatch(/\/my_shop__2_-[0-9a-f]{8}$/)
  expect(defaultDataDir({ asRoot: false })).toBe(resolve('.data'))
})

test('data that an earlier version stored one folder higher is found until the new directory exists', async () => {
  const top = await mkdtemp(join(tmpdir(), 'kassa-place-'))
  try {
    const dataDir = join(top, 'kassa-12345678')
    expect(await findEarlierData('postgres', dataDir, top)).toBeNull()
    await mkdir(join(top, 'postgres'))
    expect(await findEarlierData('postgres', dataDir, top)).toBe(top)
    expect(await findEarlierData('secrets-key', dataDir, top)).toBeNull()
    // In a folder that is not root's, a directory of that name has no meaning.
    expect(await findEarlierData('postgres', dataDir)).toBeNull()
    await mkdir(dataDir)
    expect(await findEarlierData('postgres', dataDir, top)).toBeNull()
  } finally {
    await rm(top, { recursive: true })
  }
})
