    public Money convert(Money amount, Currency target, LocalDate day) {
        if (amount.currency().equals(target)) {
            return amount;
        }
        BigDecimal rate = rates.find(amount.currency(), target, day)
                .orElseThrow(() -> new NoSuchElementException("no rate for " + target));
        BigDecimal value = amount.value().multiply(rate);
        return new Money(value.setScale(2, RoundingMode.HALF_EVEN), target);
    }

    static int[] prefixTable(String pattern) {
        int[] table = new int[pattern.length()];
        int matched = 0;
        for (int i = 1; i < table.length; i++) {
            while (matched > 0 && pattern.charAt(i) != pattern.charAt(matched)) {
                matched = table[matched - 1];
            }
            if (pattern.charAt(i) == pattern.charAt(matched)) {
                matched++;
            }
            table[i] = matched;
        }
        return table;
    }

    @Override
    public void onMessage(Message message) throws JMSException {
        String id = message.getJMSCorrelationID();
        CompletableFuture<Message> waiting = pending.remove(id);
        if (waiting == null) {
            log.warn("no one waits for {}", id);
            metrics.counter("orphans").increment();
            return;
        }
        waiting.complete(message);
    }

    private Map<String, List<Employee>> groupByOffice(Collection<Employee> staff) {
        Map<String, List<Employee>> offices = new TreeMap<>();
        for (Employee employee : staff) {
            if (employee.getLeft() != null && employee.getLeft().isBefore(today)) {
                continue;
            }
            offices.computeIfAbsent(employee.getOffice(), office -> new ArrayList<>()).add(employee);
        }
        offices.values().forEach(list -> list.sort(Comparator.comparing(Employee::getName)));
        return offices;
    }

    boolean isBalanced(CharSequence text) {
        Deque<Character> open = new ArrayDeque<>();
        for (int at = 0; at < text.length(); at++) {
            char c = text.charAt(at);
            switch (c) {
                case '(', '[', '{' -> open.push(c);
                case ')' -> { if (open.isEmpty() || open.pop() != '(') return false; }
                case ']' -> { if (open.isEmpty() || open.pop() != '[') return false; }
                default -> { }
            }
        }
        return open.isEmpty();
    }

    public synchronized Connection borrow(long timeout) throws InterruptedException {
        long deadline = System.nanoTime() + timeout;
        while (idle.isEmpty() && size >= maximum) {
            long left = deadline - System.nanoTime();
            if (left <= 0L) {
                throw new IllegalStateException("no connection within " + timeout);
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        Connection connection = idle.isEmpty() ? factory.open() : idle.removeFirst();
        size = Math.max(size, busy.size() + 1);
        busy.add(connection);
        return connection;
    }

    static byte[] gunzip(InputStream source) throws IOException {
        ByteArrayOutputStream result = new ByteArrayOutputStream();
        byte[] buffer = new byte[8192];
        try (GZIPInputStream in = new GZIPInputStream(source)) {
            for (int n = in.read(buffer); n != -1; n = in.read(buffer)) {
                result.write(buffer, 0, n);
            }
        }
        return result.toByteArray();
    }

    void rotateLeft(Node node) {
        Node pivot = node.right;
        node.right = pivot.left;
        if (pivot.left != null) {
            pivot.left.parent = node;
        }
        pivot.parent = node.parent;
        if (node.parent == null) {
            root = pivot;
        } else if (node == node.parent.left) {
            node.parent.left = pivot;
        } else {
            node.parent.right = pivot;
        }
        pivot.left = node;
        node.parent = pivot;
    }

    private static String slug(String title) {
        String plain = Normalizer.normalize(title, Normalizer.Form.NFD).replaceAll("\\p{M}", "");
        StringBuilder slug = new StringBuilder(plain.length());
        boolean dash = false;
        for (char c : plain.toLowerCase(Locale.ROOT).toCharArray()) {
            if (Character.isLetterOrDigit(c)) {
                slug.append(c);
                dash = false;
            } else if (!dash && slug.length() > 0) {
                slug.append('-');
                dash = true;
            }
        }
        return slug.toString();
    }

    public Optional<Path> locate(String program, String searchPath) {
        String[] folders = searchPath.split(File.pathSeparator);
        return Arrays.stream(folders)
                .filter(Predicate.not(String::isBlank))
                .map(folder -> Path.of(folder).resolve(program))
                .filter(path -> Files.isRegularFile(path) && Files.isExecutable(path))
                .findFirst()
                .map(Path::toAbsolutePath);
    }

    double simpson(DoubleUnaryOperator f, double from, double to, int steps) {
        if (steps % 2 != 0) {
            throw new IllegalArgumentException("steps must be even");
        }
        double width = (to - from) / steps;
        double sum = f.applyAsDouble(from) + f.applyAsDouble(to);
        for (int i = 1; i < steps; i++) {
            sum += f.applyAsDouble(from + i * width) * (i % 2 == 0 ? 2 : 4);
        }
        return sum * width / 3;
    }

    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String etag = '"' + store.version(request.getPathInfo()) + '"';
        response.setHeader("ETag", etag);
        if (etag.equals(request.getHeader("If-None-Match"))) {
            response.setStatus(HttpServletResponse.SC_NOT_MODIFIED);
            return;
        }
        try (OutputStream out = response.getOutputStream()) {
            store.copy(request.getPathInfo(), out);
        }
    }
