/** Runs operators' commands for a test, one a line: JSON words in, `{ code, stdout, stderr }` out. */
import { runAdmin } from '../../admin/program.ts'
import type { Config } from '../../config.ts'
import { diagnose } from '../../diagnosis/diagnose.ts'
import { openService, openUnmigrated } from '../../service.ts'

export type Output = { code: number; stdout: string; stderr: string }

/** Every command opens the service again, like `server/admin.ts`. */
export async function runWords(config: Config, words: string[], key?: string): Promise<Output> {
  const output = { stdout: '', stderr: '' }
  const code = await runAdmin(words, {
    open: () => openService(config, { own: false, logTo: 'stderr' }),
    openDatabase: () => openUnmigrated(config, { logTo: 'stderr' }),
    diagnose: () => diagnose(config),
    out: (text) => {
      output.stdout += text
    },
    err: (text) => {
      output.stderr += text
    },
    caller: { user: 'tester', from: 'host test', readKey: async () => key },
    untilStopped: () => new AbortController().signal,
    verbose: false,
  })
  return { code, ...output }
}
