/**
 * Ends processes whose parent has ended in whatever way, also by SIGKILL. A shell waits at a pipe for the end of this process. It is a
 * session of its own, so what ends this process's group does not end it before its work is done.
 */
import { spawn } from 'node:child_process'
import { Socket } from 'node:net'
import type { Writable } from 'node:stream'

/** Each line begins or ends the watch over one `SIGNAL:PROCESS`. After the last one, each signal is sent. */
const SCRIPT = `living=
while read -r does what; do
  others=
  for each in $living; do [ "$each" = "$what" ] || others="$others $each"; done
  living=$others
  [ "$does" = begin ] && living="$living $what"
done
for each in $living; do kill -s "\${each%%:*}" -- "\${each#*:}" 2>/dev/null; done`

let lines: Writable | null = null

function tell(line: string): void {
  lines ??= startGuard()
  lines.write(`${line}\n`)
}

function startGuard(): Writable {
  const guard = spawn('sh', ['-c', SCRIPT], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  guard.unref()
  if (guard.stdin instanceof Socket) guard.stdin.unref()
  return guard.stdin
}

export type Ending = {
  /** The short name of the signal. */
  signal?: 'KILL' | 'TERM' | 'INT'
  /** The process leads a group, and all of it gets the signal. */
  isGroup?: boolean
}

/** Sends the signal to this process when ours ends. Returns a function that ends the watch, to be called when the process has ended. */
export function endWithParent(pid: number, { signal = 'KILL', isGroup = false }: Ending = {}): () => void {
  const what = `${signal}:${isGroup ? '-' : ''}${pid}`
  tell(`begin ${what}`)
  return () => tell(`end ${what}`)
}
