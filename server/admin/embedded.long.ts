/** Commands with the database in the data directory: they start it, and stop it at their end. */
import { access, chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operateJson, operateProcess } from '../testing/operator.ts'

describe('without a running service and without DATABASE_URL', () => {
  let folder: string
  const directoryOf = (name: string) => join(folder, name)
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kassa-operator-'))
    await chmod(folder, 0o755)
    // It creates the data directory that the others use.
    await operateProcess({ DATA_DIR: directoryOf('old') }, ['database', 'migrate'])
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test('a command starts the embedded database, and stops it at the end', async () => {
    const dataDir = directoryOf('old')
    const create = ['merchant', 'create', '--name', 'Alone']
    const made = await operateJson({ DATA_DIR: dataDir }, create, operateProcess)
    expect(made.answer).toMatchObject({ ok: true, webhookSecret: expect.any(String) })
    const { answer } = await operateJson({ DATA_DIR: dataDir }, ['merchant', 'list'], operateProcess)
    expect(answer.merchants).toMatchObject([{ name: 'Alone' }])
    await expect(access(join(dataDir, 'postgres', 'postmaster.pid'))).rejects.toThrow('ENOENT')
  })

  test('a backup is restored into a data directory that does not exist yet, without a warning that there was no Kassa', async () => {
    const operate = async (directory: string, ...args: string[]) => {
      const done = await operateProcess({ DATA_DIR: directoryOf(directory) }, args)
      expect([args[1], done.code]).toEqual([args[1], 0])
      return done
    }
    await operate('old', 'backup', 'create', '--to', directoryOf('backup'))
    const { stdout, stderr } = await operate('new', 'backup', 'restore', '--from', directoryOf('backup'))
    expect(stdout).toContain('The backup is restored.')
    expect(stderr).not.toContain('There was no Kassa')
    expect((await operate('new', 'merchant', 'list')).stdout).toContain('Alone')
  })
})
