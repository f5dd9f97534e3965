def parse_duration(text):
    total = 0
    for number, unit in PATTERN.findall(text):
        if unit not in SECONDS:
            raise ValueError(f"unknown unit {unit!r}")
        total += int(number) * SECONDS[unit]
    if not total and text.strip() != "0":
        raise ValueError("no duration")
    return timedelta(seconds=total)

def merge_intervals(intervals):
    merged = []
    for start, end in sorted(intervals, key=lambda pair: pair[0]):
        if merged and start <= merged[-1][1]:
            last_start, last_end = merged.pop()
            merged.append((last_start, max(last_end, end)))
        else:
            merged.append((start, end))
    return merged

async def fetch_with_retries(session, url, attempts=3):
    delay = 0.5
    for attempt in range(1, attempts + 1):
        try:
            async with session.get(url, timeout=10) as response:
                response.raise_for_status()
                return await response.json()
        except ClientError as error:
            if attempt == attempts:
                raise FetchFailed(url) from error
            await asyncio.sleep(delay)
            delay *= 2

def topological_order(graph):
    pending = {node: len(parents) for node, parents in graph.items()}
    ready = [node for node, count in pending.items() if count == 0]
    order = []
    while ready:
        node = ready.pop()
        order.append(node)
        for child, parents in graph.items():
            if node in parents:
                pending[child] -= 1
                if pending[child] == 0:
                    ready.append(child)
    return order

def render_table(rows, headers):
    widths = [len(header) for header in headers]
    for row in rows:
        for column, cell in enumerate(row):
            widths[column] = max(widths[column], len(str(cell)))
    template = "  ".join("{:<%d}" % width for width in widths)
    lines = [template.format(*headers), "-" * (sum(widths) + 2 * len(widths))]
    lines.extend(template.format(*map(str, row)) for row in rows)
    return "\n".join(lines)

def load_settings(path, defaults):
    settings = dict(defaults)
    with open(path, encoding="utf-8") as stream:
        for number, line in enumerate(stream, start=1):
            line = line.partition("#")[0].strip()
            if not line:
                continue
            key, separator, value = line.partition("=")
            if not separator:
                raise SyntaxError("%s:%d: expected key = value" % (path, number))
            settings[key.rstrip()] = json.loads(value)
    return settings

def apply_discount(order, coupon, today):
    if coupon.expires and coupon.expires < today:
        return order.total
    eligible = [item for item in order.items if item.category in coupon.categories]
    base = sum(item.price * item.quantity for item in eligible)
    discount = min(base * coupon.percent / 100, coupon.maximum or base)
    order.discounts.append(Discount(coupon.code, discount))
    return round(order.total - discount, 2)

def levenshtein(left, right):
    previous = list(range(len(right) + 1))
    for i, a in enumerate(left):
        current = [i + 1]
        for j, b in enumerate(right):
            substitution = previous[j] + (a != b)
            current.append(min(substitution, previous[j + 1] + 1, current[j] + 1))
        previous = current
    return previous[-1]

def watch_folder(folder, callback, interval=1.0):
    known = {}
    while not stopped.wait(interval):
        seen = {}
        for entry in os.scandir(folder):
            if entry.is_file():
                seen[entry.path] = entry.stat().st_mtime_ns
        for path in known.keys() - seen.keys():
            callback("deleted", path)
        for path, modified in seen.items():
            if known.get(path) != modified:
                callback("changed" if path in known else "created", path)
        known = seen

def tokenize_expression(source):
    position = 0
    while position < len(source):
        match = TOKEN.match(source, position)
        if match is None:
            raise ParseError(source, position)
        kind = match.lastgroup
        if kind == "number":
            yield Token(kind, float(match.group()))
        elif kind != "space":
            yield Token(kind, match.group())
        position = match.end()

def assign_seats(guests, tables):
    plan = defaultdict(list)
    by_size = sorted(tables, key=attrgetter("seats"), reverse=True)
    for household in sorted(guests, key=len, reverse=True):
        for table in by_size:
            free = table.seats - len(plan[table.name])
            if free >= len(household):
                plan[table.name] += household
                break
        else:
            plan[None].extend(household)
    return plan

def verify_signature(message, signature, keys):
    header, _, encoded = signature.partition(":")
    if header not in ("v1", "v2"):
        return False
    try:
        given = base64.b64decode(encoded, validate=True)
    except binascii.Error:
        logger.warning("signature is not base64")
        return False
    digests = (hmac.new(key, message, hashlib.sha256).digest() for key in keys)
    return any(hmac.compare_digest(digest, given) for digest in digests)
