/** For the health check of a container: exits with 0 if the service on this port is ready, else with 1. */
const [port] = process.argv.slice(2)
const isReady = await fetch(`http://127.0.0.1:${port}/readyz`).then(
  ({ ok }) => ok,
  () => false,
)
process.exit(isReady ? 0 : 1)
