/**
 * The service with MODE=live and the settings of a real deployment. Public hosts are servers of this machine: `HOSTS` is a JSON object
 * from host names to their origins.
 */
import { reachOnly } from './public-hosts.ts'

const { HOSTS = '{}', ...environment } = process.env
process.env = environment
reachOnly(JSON.parse(HOSTS))

await import('../../main.ts')
