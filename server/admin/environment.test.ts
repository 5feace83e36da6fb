import { once } from 'node:events'
import { access, chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { operate, operateJson, operateProcess } from '../testing/operator.ts'
import { startProcess } from '../testing/processes/child-process.ts'

const NOWHERE = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' }

test('the error for an invalid environment names every invalid setting', async () => {
  const wrong = { PORT: 'x', MODE: 'live', SECRETS_KEY: 'short' }
  const text = await operate(wrong, ['merchant', 'list'])
  expect(text).toMatchObject({ code: 1, stdout: '' })
  for (const name of ['PORT', 'BASE_URL', 'SECRETS_KEY']) expect(text.stderr).toContain(`${name}:`)
  const { code, answer } = await operateJson(wrong, ['merchant', 'list'])
  expect(code).toBe(1)
  expect(answer).toMatchObject({ ok: false, error: { code: 'configuration' } })
})

test('an unreachable database is reported as the cause, without a stack and after a warning about a misspelt setting', async () => {
  const { code, stdout, stderr } = await operateProcess({ ...NOWHERE, DATA_DIRR: '/srv/kassa' }, [
    'merchant',
    'list',
  ])
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  // The command might use another database than intended.
  expect(stderr).toMatch(
    /^Warning: DATA_DIRR is not a setting and has no effect\. Did you mean DATA_DIR\?\nKassa in the database nothing on 127\.0\.0\.1:1 \(DATABASE_URL names it\)\nThe database cannot be reached: .*ECONNREFUSED.*\nCheck DATABASE_URL/,
  )
  expect(stderr).not.toContain('    at ')
})

test('a command that only reads creates no database, and says where it looked', {
  tags: ['long'],
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kassa-nothing-'))
  await chmod(folder, 0o755)
  const dataDir = join(folder, 'data')
  const { code, stderr } = await operateProcess({ DATA_DIR: dataDir }, ['payment', 'list'])
  expect([code, stderr]).toEqual([1, expect.stringContaining(`There is no database in ${dataDir}`)])
  expect(stderr.split('\n')[0]).toBe(`Kassa in ${dataDir} (DATA_DIR names it)`)
  expect(stderr).toContain('Set DATA_DIR or DATABASE_URL')
  await expect(access(dataDir)).rejects.toThrow('ENOENT')
  await rm(folder, { recursive: true })
})

test('a command reads and runs no file of the directory in which it is called', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kassa-elsewhere-'))
  await writeFile(join(folder, 'package.json'), 'not JSON')
  await writeFile(join(folder, '.graphile-workerrc.cjs'), "require('node:fs').writeFileSync('was-run', '')")
  const child = startProcess(fileURLToPath(new URL('../admin.ts', import.meta.url)), {
    args: ['--help'],
    cwd: folder,
  })
  const [code] = await once(child, 'close')
  expect(code).toBe(0)
  await expect(access(join(folder, 'was-run'))).rejects.toThrow('ENOENT')
  await rm(folder, { recursive: true })
})
