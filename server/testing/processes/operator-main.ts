/**
 * An operator's command line that stays open, because a new process for each command costs a second of CPU time. It reads one
 * command a line on standard input, as a JSON array of words. It writes one line for each: `{ code, stdout, stderr }`. Every
 * command opens the service again, like `server/admin.ts`.
 */
import { createInterface } from 'node:readline'
import { runAdmin } from '../../admin/program.ts'
import { readConfig } from '../../config.ts'
import { diagnose } from '../../diagnosis/diagnose.ts'
import { openService, openUnmigrated } from '../../service.ts'

const config = readConfig({ ...process.env, LOG_LEVEL: 'error' })

for await (const line of createInterface({ input: process.stdin })) {
  const said = { stdout: '', stderr: '' }
  const code = await runAdmin(JSON.parse(line) as string[], {
    open: () => openService(config, { own: false, logTo: 'stderr' }),
    openDatabase: () => openUnmigrated(config, { logTo: 'stderr' }),
    diagnose: () => diagnose(config),
    out: (text) => {
      said.stdout += text
    },
    err: (text) => {
      said.stderr += text
    },
    caller: { user: 'tester', from: 'host test', readKey: async () => undefined },
    untilStopped: () => new AbortController().signal,
    verbose: false,
  })
  process.stdout.write(`${JSON.stringify({ code, ...said })}\n`)
}
