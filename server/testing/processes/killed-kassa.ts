/** A Kassa that is killed while its provider has requests of it. */
import { type Kassa, spawnKassa } from '../harness.ts'

/**
 * Starts a Kassa of its own on the database of this one. `held`: the requests that the provider's proxy holds, see `hold` of
 * FaultProxy. As soon as it holds all of them, the process is killed.
 */
export async function spawnKilledKassa(
  { databaseUrl }: Pick<Kassa, 'databaseUrl'>,
  settings: Record<string, string>,
  held: Promise<void>[],
) {
  const { kill, ...killed } = await spawnKassa({ DATABASE_URL: databaseUrl, ...settings })
  return { ...killed, ended: Promise.all(held).then(() => kill('SIGKILL')) }
}
