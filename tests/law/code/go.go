func (s *Server) Shutdown(ctx context.Context) error {
	s.closing.Store(true)
	for _, listener := range s.listeners {
		if err := listener.Close(); err != nil {
			s.log.Printf("close %v: %v", listener.Addr(), err)
		}
	}
	done := make(chan struct{})
	go func() {
		s.connections.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func parseSize(text string) (int64, error) {
	unit := strings.TrimLeft(text, "0123456789")
	number, err := strconv.ParseInt(strings.TrimSuffix(text, unit), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("size %q: %w", text, err)
	}
	factor, ok := units[strings.ToUpper(unit)]
	if !ok || number > math.MaxInt64/factor {
		return 0, ErrRange
	}
	return number * factor, nil
}

func mergeSorted(left, right []int) []int {
	merged := make([]int, 0, len(left)+len(right))
	for len(left) > 0 && len(right) > 0 {
		if left[0] <= right[0] {
			merged, left = append(merged, left[0]), left[1:]
		} else {
			merged, right = append(merged, right[0]), right[1:]
		}
	}
	merged = append(merged, left...)
	return append(merged, right...)
}

func (c *Counter) Snapshot(reset bool) map[string]uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	values := make(map[string]uint64, len(c.values))
	for name, value := range c.values {
		values[name] = value
		if reset {
			delete(c.values, name)
		}
	}
	return values
}

func readLines(r io.Reader, skip func(string) bool) ([]string, error) {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(make([]byte, 0, 64*1024), maxLine)
	var lines []string
	for scanner.Scan() {
		line := strings.TrimRight(scanner.Text(), " \t")
		if skip != nil && skip(line) {
			continue
		}
		lines = append(lines, line)
	}
	return lines, scanner.Err()
}

func authorize(next http.Handler, keys KeySet) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		claims, err := keys.Verify(r.Context(), token)
		if err != nil || claims.Expired(time.Now()) {
			http.Error(w, "unauthorized", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r.WithContext(withClaims(r.Context(), claims)))
	})
}

func boundingBox(points []Point) (box Rect) {
	box.Min = Point{math.Inf(1), math.Inf(1)}
	box.Max = Point{math.Inf(-1), math.Inf(-1)}
	for _, point := range points {
		box.Min.X = math.Min(box.Min.X, point.X)
		box.Min.Y = math.Min(box.Min.Y, point.Y)
		box.Max.X = math.Max(box.Max.X, point.X)
		box.Max.Y = math.Max(box.Max.Y, point.Y)
	}
	return box
}

func (q *Queue) Run(ctx context.Context, workers int) {
	var group sync.WaitGroup
	for i := 0; i < workers; i++ {
		group.Add(1)
		go func(id int) {
			defer group.Done()
			for job := range q.jobs {
				started := time.Now()
				job.Err = job.Do(ctx)
				q.observe(id, job.Name, time.Since(started))
			}
		}(i)
	}
	group.Wait()
}

func matchGlob(pattern, name string) bool {
	for len(pattern) > 0 {
		switch pattern[0] {
		case '*':
			for i := 0; i <= len(name); i++ {
				if matchGlob(pattern[1:], name[i:]) {
					return true
				}
			}
			return false
		case '?':
			if name == "" {
				return false
			}
		default:
			if name == "" || name[0] != pattern[0] {
				return false
			}
		}
		pattern, name = pattern[1:], name[1:]
	}
	return name == ""
}

func (r *Repo) LatestRelease(project string, includeDrafts bool) (*Release, error) {
	rows, err := r.db.Query("SELECT tag, draft, created FROM releases WHERE project = ?", project)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var latest *Release
	for rows.Next() {
		release := new(Release)
		if err := rows.Scan(&release.Tag, &release.Draft, &release.Created); err != nil {
			return nil, err
		}
		if (includeDrafts || !release.Draft) && (latest == nil || release.Created.After(latest.Created)) {
			latest = release
		}
	}
	return latest, rows.Err()
}

func hashTree(node *Node, h hash.Hash) [32]byte {
	var sum [32]byte
	if node == nil {
		return sum
	}
	left, right := hashTree(node.Left, h), hashTree(node.Right, h)
	h.Reset()
	h.Write(left[:])
	h.Write([]byte(node.Value))
	h.Write(right[:])
	copy(sum[:], h.Sum(nil))
	return sum
}

func retry(attempts int, pause time.Duration, work func() error) (err error) {
	for attempt := 0; attempt < attempts; attempt++ {
		if err = work(); err == nil {
			return nil
		}
		var permanent *PermanentError
		if errors.As(err, &permanent) {
			return permanent.Err
		}
		time.Sleep(pause << attempt)
	}
	return fmt.Errorf("gave up after %d attempts: %w", attempts, err)
}
