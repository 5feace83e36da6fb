import { access, chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { operateJson, operateProcess } from '../testing/operator.ts'

test('a wrong environment is answered with every setting that is wrong', async () => {
  const wrong = { PORT: 'x', MODE: 'live', SECRETS_KEY: 'short' }
  const text = await operateProcess(wrong, ['merchant', 'list'])
  expect(text).toMatchObject({ code: 1, stdout: '' })
  for (const name of ['PORT', 'BASE_URL', 'SECRETS_KEY']) expect(text.stderr).toContain(`${name}:`)
  const { code, answer } = await operateJson(wrong, ['merchant', 'list'], operateProcess)
  expect(code).toBe(1)
  expect(answer).toMatchObject({ ok: false, error: { code: 'configuration' } })
})

test('a database that is not there is named as the reason, without a stack', async () => {
  const nowhere = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' }
  const { code, stdout, stderr } = await operateProcess(nowhere, ['merchant', 'list'])
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^The database cannot be reached: .*ECONNREFUSED.*\nCheck DATABASE_URL/)
  expect(stderr).not.toContain('    at ')
})

test('without a service and without DATABASE_URL a command starts the embedded database, and stops it again', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'kassa-operator-'))
  await chmod(dataDir, 0o755)
  try {
    const made = await operateProcess({ DATA_DIR: dataDir }, [
      'merchant',
      'create',
      '--name',
      'Alone',
      '--json',
    ])
    expect(JSON.parse(made.stdout)).toMatchObject({ ok: true, webhookSecret: expect.any(String) })
    expect(made.stderr).toContain(`There was no Kassa in ${dataDir}: this command made a new one.`)
    // Said once: what the next command writes beside its answer would fail it.
    const { answer } = await operateJson({ DATA_DIR: dataDir }, ['merchant', 'list'], operateProcess)
    expect(answer.merchants).toMatchObject([{ name: 'Alone' }])
    await expect(access(join(dataDir, 'postgres', 'postmaster.pid'))).rejects.toThrow('ENOENT')
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})
