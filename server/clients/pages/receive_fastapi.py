# KASSA_WEBHOOK_SECRET=whsec_... uvicorn receive_fastapi:app --port 4000 --workers 2
from fastapi import FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import PlainTextResponse
from kassa_receiver import Receiver
from orders import find_order

app = FastAPI()
receiver = Receiver(find_order)


@app.post('/kassa/callback')
async def callback(request: Request):
    status, text = await run_in_threadpool(receiver.take, await request.body(), request.headers)
    return PlainTextResponse(text, status)
