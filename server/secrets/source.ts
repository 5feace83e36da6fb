/**
 * Where the outermost keys come from: the environment, a file, or a command such as the tool of a hardware token or of a cloud's key
 * service.
 * Rule: no message contains what the file has or what the command prints, because both contain keys.
 */
import { execFile } from 'node:child_process'
import { constants, open } from 'node:fs/promises'
import type { Config } from '../config.ts'
import { AppError } from '../errors.ts'
import { parseKeys } from '../settings/serving.ts'
import { nameOf } from '../settings/table.ts'

/** A hundred keys have room in it. */
const TEXT_MAX_BYTES = 8_192
const COMMAND_WITHIN_MS = 20_000
/** Writing by the group or by others, and reading by others. */
const FORBIDDEN_MODE = 0o026

/** The command runs once in a process, also if a command of the operator needs the keys in several places. */
const read = new WeakMap<Config, Promise<string[]>>()

/** Returns the keys that the settings name, newest first; none if they name none. @throws AppError storage_unavailable */
export function readGivenKeys(config: Config): Promise<string[]> {
  const known = read.get(config) ?? readKeys(config)
  read.set(config, known)
  return known
}

async function readKeys({ secretsKeys, secretsKeyFile, secretsKeyCommand }: Config): Promise<string[]> {
  if (secretsKeyFile !== undefined)
    return keysIn(await readSecretFile(nameOf('secretsKeyFile'), secretsKeyFile), nameOf('secretsKeyFile'))
  if (secretsKeyCommand !== undefined)
    return keysIn(await runCommand(secretsKeyCommand), nameOf('secretsKeyCommand'))
  return secretsKeys ?? []
}

function keysIn(text: string, name: string): string[] {
  try {
    return parseKeys(text.trim().replaceAll(/\s*[\n,]\s*/g, ','))
  } catch (error) {
    const [from, it] =
      name === nameOf('secretsKeyFile') ? ['the file', 'Its content'] : ['the command', 'What it prints']
    throw refusal(name, `${from} gives no key. ${it} ${(error as Error).message}`)
  }
}

/** Reads a small file that only its owner and group may read. `name`: the setting. @throws AppError storage_unavailable */
async function readSecretFile(name: string, path: string): Promise<string> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(
    (error: NodeJS.ErrnoException) => {
      throw refusal(
        name,
        `${path} cannot be read (${error.code}). Check the path, and that the service's user may read the file`,
      )
    },
  )
  try {
    const stat = await handle.stat()
    const { mode, uid, size } = stat
    if (!stat.isFile() || size > TEXT_MAX_BYTES) throw refusal(name, `${path} is not a file with keys`)
    if (uid !== 0 && uid !== process.getuid?.())
      throw refusal(
        name,
        `${path} belongs to another user (${uid}), who could replace the key. Run: chown root ${path}`,
      )
    if (mode & FORBIDDEN_MODE)
      throw refusal(
        name,
        `${path} has the mode ${(mode & 0o777).toString(8)}, so other users of this machine may read or change it. Run: chmod 640 ${path}`,
      )
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}

/** Runs the program itself, without a shell and with nothing to read. */
function runCommand([program = '', ...args]: string[]): Promise<string> {
  const name = nameOf('secretsKeyCommand')
  const limits = { timeout: COMMAND_WITHIN_MS, killSignal: 'SIGKILL', maxBuffer: TEXT_MAX_BYTES } as const
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, limits, (error, stdout) => {
      // The message of the error repeats what the command has printed.
      if (error) reject(refusal(name, `${program} ${explain(error)}`))
      else resolve(stdout)
    })
    child.stdin?.on('error', () => {}).end()
  })
}

function explain({ code, killed, signal }: { code?: unknown; killed?: boolean; signal?: unknown }): string {
  if (code === 'ENOENT') return 'does not exist. Check the path'
  if (code === 'EACCES') return "may not be run by the service's user. Check the file's mode"
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')
    return `printed more than ${TEXT_MAX_BYTES} bytes. It must print only the keys`
  if (killed)
    return `did not end within ${COMMAND_WITHIN_MS / 1_000} seconds, and was stopped. It must not ask for anything`
  return `failed (${typeof code === 'number' ? `exit code ${code}` : (signal ?? code)}). What it printed is not shown, because it may contain keys. Run it by hand as the service's user`
}

function refusal(name: string, message: string): AppError {
  return new AppError('storage_unavailable', { message: `${name}: ${message}.` })
}
