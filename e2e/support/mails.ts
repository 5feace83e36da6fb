/** Every kind of mail in one language, as a running service has sent it. The service stops together with the process that started it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { COMPILE_CACHE } from './kassa.ts'

const ENTRY = fileURLToPath(new URL('../../server/testing/processes/mail-scene-main.ts', import.meta.url))

/** What the program prints. `name`: the reader and what the mail is about. */
export type ShownMail = { name: string; subject: string; text: string; html: string }
export type Mails = { mails: ShownMail[]; close(): Promise<void> }

/** Takes about half a minute. The pictures in the mails can be loaded until `close`. */
export async function openMails(locale: string): Promise<Mails> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kassa-mails-'))
  // The embedded PostgreSQL may run as another user, who needs access to this folder.
  await chmod(dataDir, 0o755)
  const child = spawn(process.execPath, [ENTRY, locale], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILE_CACHE, DATA_DIR: dataDir },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const { value, done } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()
  if (done) throw new Error(`The mails in ${locale} could not be made.`)
  return {
    mails: JSON.parse(value),
    async close() {
      const ended = once(child, 'exit')
      child.stdin.end()
      await ended
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
