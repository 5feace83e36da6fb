/** Where the receiver for PHP stores events if nobody says where. The others store them in the folder in which they are started. */
import { execFile, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const SOURCE = fileURLToPath(new URL('php', import.meta.url))
const hasSqlite = spawnSync('php', ['-r', "exit(extension_loaded('pdo_sqlite') ? 0 : 1);"]).status === 0

describe.skipIf(!hasSqlite)('the receiver for PHP', () => {
  let web: string
  let kit: string
  beforeEach(() => {
    web = realpathSync(mkdtempSync(join(tmpdir(), 'kassa-php-')))
    kit = join(web, 'kassa')
    mkdirSync(kit)
    for (const name of ['Kassa.php', 'KassaReceiver.php']) cpSync(join(SOURCE, name), join(kit, name))
  })
  afterEach(() => rmSync(web, { recursive: true }))

  /** Opens the receiver as a web server with this document root would. Returns what PHP printed, or null if it stopped. */
  const open = (root: string) =>
    promisify(execFile)(
      'php',
      [
        '-r',
        "$_SERVER['DOCUMENT_ROOT'] = $argv[2]; require $argv[1]; new Kassa\\Receiver('strlen');",
        '--',
        join(kit, 'KassaReceiver.php'),
        root,
      ],
      { env: { PATH: process.env.PATH, KASSA_WEBHOOK_SECRET: 'whsec_c2VjcmV0' } },
    )

  test('stores events beside its files, as cron finds them too', async () => {
    await open('')
    expect(existsSync(join(kit, 'kassa.sqlite'))).toBe(true)
    expect(existsSync(join(web, 'kassa.sqlite'))).toBe(false)
    await open(join(web, 'public'))
  })

  test('stores nothing that a browser could fetch', async () => {
    await expect(open(web)).rejects.toThrow(`Set KASSA_DATABASE to a file outside ${web}`)
    await expect(open(kit)).rejects.toThrow('Set KASSA_DATABASE')
    expect(existsSync(join(kit, 'kassa.sqlite'))).toBe(false)
  })

  test('goes on with the file of an earlier version, so that no order is decided twice', async () => {
    writeFileSync(join(web, 'kassa.sqlite'), '')
    await open('')
    expect(existsSync(join(kit, 'kassa.sqlite'))).toBe(false)
  })
})
