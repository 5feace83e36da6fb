<?php
// To try it: KASSA_WEBHOOK_SECRET=whsec_... php -S 127.0.0.1:4000 receive.php
// Needed, with the web server's user and settings: * * * * * php /path/to/receive.php
require __DIR__ . '/KassaReceiver.php';
require __DIR__ . '/orders.php';

(new Kassa\Receiver('find_order'))->run();
